// Definitions for tests about tools that a client runs: two remote tools, one with a short deadline, and agents that
// call them directly and through a prompt.

import { z } from "zod";

import { defineAgent, defineTool } from "#spec/index.ts";

import { testPrompt } from "./test-prompt.ts";

/** Milliseconds that a call of `ask_soon` waits. */
export const soonMs = 90_000;

const question = z.object({ q: z.string() });

export const remoteTools = {
  ask: defineTool("Asks the client", question),
  ask_place: defineTool("Asks the client for a place", question, undefined, {
    resultSchema: z.object({ place: z.string(), people: z.number().int().optional() }),
  }),
  ask_soon: defineTool("Asks the client, who is quick", question, undefined, { deadlineMs: soonMs }),
};

export const remotePrompts = [
  testPrompt("asker", ["ask", "ask_place", "ask_soon", "note", "wait"]),
  testPrompt("one_by_one", ["ask", "ask_soon", "note", "wait"], { parallelToolCalls: false }),
];

export const remoteAgents = remotePrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));
