// Definitions for tests about results that are large or arrive at difficult times: tools with long outputs, one that calls
// another, one that a release changes, and agents that call them in turn.

import { z } from "zod";

import { defineAgent, definePrompt, defineTool } from "#spec/index.ts";
import type { AnyToolDefinition } from "#spec/index.ts";

import { ran } from "./approval.ts";

/** The current definition of `moves`; a test replaces it as a release would. */
export const released: { moves: AnyToolDefinition } = { moves: defineTool("Moves", z.object({})) };

export const answeredTools = {
  bulky: defineTool("Answers much", z.object({ n: z.number() }), async () => ({
    status: "success" as const,
    result: "x".repeat(280_000),
    details: { more: "y".repeat(190_000) },
  })),
  wordy: defineTool(
    "Fails at length",
    z.object({ text: z.string() }),
    async () => {
      ran.push("wordy");
      return {
        status: "error" as const,
        result: "r".repeat(299_000),
        error: "e".repeat(299_000),
        details: { more: "d".repeat(190_000) },
      };
    },
    { needsApproval: true, editableArguments: true },
  ),
  passer: defineTool("Calls what it is told to", z.object({}), async (state) => {
    const done = await state.invokeTool("erase", { what: "everything" });
    return { status: "success" as const, result: JSON.stringify(done) };
  }),
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

export const answeredPrompts = [
  prompt("careful_house", ["pay_room", "erase", "ask"], { parallelToolCalls: false }),
  prompt("batched_house", ["pay_room", "erase", "ask"], { toolMode: { batched: 1 } }),
  prompt("mover", ["moves", "ask"]),
  prompt("reader", ["bulky"], { includeChat: false }),
  prompt("head_reader", ["reader", "pay", "bulky", "ask", "wordy", "passer"]),
];

export const answeredAgents = answeredPrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));
