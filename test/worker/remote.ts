// Definitions for tests about tools that a client runs: two remote tools, one with a short deadline, and agents that
// call them directly and through a prompt.

import { z } from "zod";

import { defineAgent, definePrompt, defineTool } from "#spec/index.ts";

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

const prompt = (name: string, tools: string[], extra: object = {}) =>
  definePrompt({
    name,
    toolDescription: name,
    prompt: "You are a test.",
    model: "scripted",
    includeChat: true,
    includePastTools: true,
    parallelToolCalls: true,
    tools,
    ...extra,
  });

export const remotePrompts = [
  prompt("asker", ["ask", "ask_place", "ask_soon", "note", "wait"]),
  prompt("one_by_one", ["ask", "ask_soon", "note", "wait"], { parallelToolCalls: false }),
];

export const remoteAgents = remotePrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));
