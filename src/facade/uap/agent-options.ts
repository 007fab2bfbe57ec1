// Checks the options of an agent when it is created, so that a mistake of a program in JavaScript is not ignored, and is not found only in the
// first execution. `llm` checks the other options.

import { fieldsOf, isObject } from "#lib/json-value.ts";

import { checkedSignal } from "../upp/checked-signal.ts";
import { refusal } from "../upp/upp-error.ts";
import type { AgentOptions } from "./agent-contract.ts";
import { checkedSession } from "./checkpoint/session-name.ts";

/** Throws INVALID_REQUEST for an option that would have no effect or would fail later. */
export function checkOptions(options: AgentOptions): void {
  if (!isObject(options as unknown))
    throw refusal('agent needs options, such as { model: anthropic("claude-sonnet-5-5") }.');
  const { middleware, execution, checkpoints, sessionId, tools, signal } = options;
  if (middleware !== undefined) checkMiddleware(middleware);
  if (execution !== undefined && typeof fieldsOf(execution)["execute"] !== "function") {
    throw refusal("The option execution has no function execute. Use a strategy, such as loop() or react().");
  }
  if (checkpoints !== undefined && typeof fieldsOf(checkpoints)["save"] !== "function") {
    throw refusal("The option checkpoints has no function save. Use a store, such as fileCheckpoints().");
  }
  if (sessionId !== undefined) checkedSession(sessionId);
  if (tools !== undefined && !Array.isArray(tools)) throw refusal("The option tools has to be a list: tools: [add].");
  checkedSignal(signal);
}

function checkMiddleware(middleware: unknown): void {
  if (!Array.isArray(middleware)) throw refusal("The option middleware has to be a list: middleware: [logging()].");
  for (const [index, entry] of middleware.entries()) {
    const functions = ["before", "after", "onError"]
      .map((name) => fieldsOf(entry)[name])
      .filter((each) => each !== undefined);
    if (functions.length > 0 && functions.every((each) => typeof each === "function")) continue;
    const fix =
      typeof entry === "function" ? "It is a function; call it, as in logging()" : "Use an object with at least one";
    throw refusal(`middleware.${index} has no functions before, after or onError. ${fix}.`);
  }
}
