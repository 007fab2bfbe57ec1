// Definitions for tests about calls that need approval: tools that record their arguments, and agents that call them
// directly and through a prompt.

import { z } from "zod";

import { defineAgent, defineTool } from "#spec/index.ts";
import type { ToolCall } from "#spec/index.ts";

import { testPrompt } from "./test-prompt.ts";

/** Executed calls in order: the tool, its arguments, the attempt. */
export const ran: string[] = [];

/** A function that a test sets to act in the middle of a call. */
export const duringCall: { run: (() => Promise<void>) | null } = { run: null };

/** Milliseconds that `pay` waits for an approval. */
export const payDeadlineMs = 60_000;

const sum = z.object({ to: z.string(), amount: z.number().positive() });

async function work(name: string, args: unknown, call: ToolCall) {
  ran.push(`${name} ${JSON.stringify(args)} ${call.attempt}`);
  await duringCall.run?.();
  ran.push(`${name} done`);
  return { status: "success" as const, result: `${name} ${JSON.stringify(args)}` };
}

export const approvalTools = {
  pay: defineTool("Pays", sum, (_state, args, call) => work("pay", args, call), {
    needsApproval: true,
    editableArguments: true,
    deadlineMs: payDeadlineMs,
  }),
  look: defineTool("Looks", z.object({ at: z.string() }), (_state, args, call) => work("look", args, call), {
    repeatable: true,
  }),
  listen: defineTool("Listens", z.object({ to: z.string() }), (_state, args, call) => work("listen", args, call), {
    idempotent: true,
  }),
  erase: defineTool("Erases", z.object({ what: z.string() }), (_state, args, call) => work("erase", args, call), {
    needsApproval: true,
  }),
  spend: defineTool("Spends", sum, (_state, args, call) => work("spend", args, call), {
    timeoutMs: 200,
    needsApproval: (args, state) => {
      if (args.to === "nobody") throw new Error("nobody is not known");
      if (args.to === "slow") return new Promise(() => {});
      return args.amount > 100 || state.context["careful"] === true;
    },
  }),
};

const all = ["pay", "erase", "spend", "note", "ask", "look", "listen"];

const single = [
  testPrompt("payer", all),
  testPrompt("careful_payer", all, { parallelToolCalls: false }),
  testPrompt("cashier", all, { includeChat: false }),
  testPrompt("head_cashier", ["cashier"]),
];

/** Agents that work in child threads: the call that needs approval is in a child thread, or one thread further down. */
const rooms = [
  testPrompt("room", all, { includeChat: false }),
  testPrompt("lobby", ["pay_room", "ask"], { includeChat: false }),
  testPrompt("house", ["pay_room", "pay_lobby", "ask"]),
];

export const approvalPrompts = [...single, ...rooms];

export const approvalAgents = [
  ...[...single, ...rooms.slice(2)].map(({ name }) => defineAgent({ name, sideA: { prompt: name } })),
  ...(["room", "lobby"] as const).map((name) =>
    defineAgent({
      name: `pay_${name}`,
      type: "dual_ai",
      maxSessionTurns: 1,
      sideA: { prompt: name },
      sideB: { prompt: name },
      toolDescription: name,
    }),
  ),
];
