// The execution strategy `react`.

import { react as reactStrategy } from "#core/strategy/react.ts";

import { refusal } from "../../upp/upp-error.ts";
import type { ExecutionStrategy } from "../agent-contract.ts";
import { checkCount, builtInStrategy } from "./built-in-strategy.ts";

/** The options of `react`. */
export interface ReactOptions {
  /** The maximum number of cycles of reasoning and action, from 1. Default: no limit. */
  maxSteps?: number | undefined;
  /** The instruction that requests the reasoning. */
  reasoningPrompt?: string | undefined;
}

/** Requests reasoning, then an action, until an action calls no tool. Reasoning and the action after it are one step. */
export function react({ maxSteps = Infinity, reasoningPrompt }: ReactOptions = {}): ExecutionStrategy {
  checkCount("react", "maxSteps", { value: maxSteps, least: 1 });
  if (reasoningPrompt !== undefined && typeof reasoningPrompt !== "string") {
    throw refusal(`reasoningPrompt of react() has to be a text; it is ${String(reasoningPrompt)}.`);
  }
  return builtInStrategy("react", () => ({ strategy: reactStrategy({ maxCycles: maxSteps, reasoningPrompt }) }));
}
