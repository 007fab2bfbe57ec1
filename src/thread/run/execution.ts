// `state.execution` of a running run (Standard Agents, ExecutionState).

import type { MessageRecord } from "#core/record.ts";
import { specMessage } from "#flow/hook-message.ts";
import type { ExecutionState } from "#spec/index.ts";

/** The stop flag of a run: set by a definition, read by the loop between steps. */
export class StopFlag {
  asked = false;
}

/** Makes the view that definitions get. */
export function executionState(
  runId: string,
  messages: readonly MessageRecord[],
  { flag, signal }: { flag: StopFlag; signal: AbortSignal },
): ExecutionState {
  const steps = () => messages.filter((message) => message.role === "assistant" && message.step !== null).length;
  return {
    flowId: runId,
    currentSide: "a",
    get stepCount() {
      return steps();
    },
    get sideAStepCount() {
      return steps();
    },
    sideBStepCount: 0,
    turnCount: 0,
    get stopped() {
      return flag.asked || signal.aborted;
    },
    get messageHistory() {
      return messages.filter((message) => message.role !== "extension").map(specMessage);
    },
    forceTurn: () => {
      // Only two-sided agents take turns (Standard Agents, forceTurn).
    },
    stop: () => {
      flag.asked = true;
    },
    abortSignal: signal,
  };
}
