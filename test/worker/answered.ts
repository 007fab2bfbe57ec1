// Definitions for tests about results that are large or arrive at difficult times: tools with long outputs, one that calls
// another, one that a release changes, and agents that call them in turn.

import { z } from "zod";

import { defineAgent, defineTool } from "#spec/index.ts";
import type { AnyToolDefinition } from "#spec/index.ts";

import { ran } from "./approval.ts";
import { testPrompt } from "./test-prompt.ts";

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

export const answeredPrompts = [
  testPrompt("careful_house", ["pay_room", "erase", "ask"], { parallelToolCalls: false }),
  testPrompt("batched_house", ["pay_room", "erase", "ask"], { toolMode: { batched: 1 } }),
  testPrompt("mover", ["moves", "ask"]),
  testPrompt("reader", ["bulky"], { includeChat: false }),
  testPrompt("head_reader", ["reader", "pay", "bulky", "ask", "wordy", "passer"]),
];

export const answeredAgents = answeredPrompts.map(({ name }) => defineAgent({ name, sideA: { prompt: name } }));
