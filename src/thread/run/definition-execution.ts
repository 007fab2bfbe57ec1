// Builds `state.execution`, the object through which a project's tools and hooks read and control the active run (Standard Agents,
// ExecutionState).

import { refuse } from "#contract/error.ts";
import type { Side } from "#contract/thread-message.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { isModelAnswer, isInScope, mainScope } from "#core/record/scope.ts";
import { isSendable } from "#core/request/request-messages.ts";
import { specMessage } from "#flow/hook/hook-message.ts";
import type { ConversationStrategy } from "#flow/strategy/conversation-strategy.ts";
import type { ExecutionState } from "#spec/index.ts";

/** The stop flag of a run. `state.execution.stop()` sets it; the loop reads it between steps. */
export class StopFlag {
  asked = false;
  by: Side | null = null;
  onStop: (by: Side) => void = () => {};

  ask(by: Side): void {
    this.asked = true;
    if (this.by !== null) return;
    this.by = by;
    this.onStop(by);
  }
}

/** Dependencies of `state.execution`. */
export interface ExecutionParts {
  flag: StopFlag;
  signal: AbortSignal;
  strategy: ConversationStrategy;
  /** The messages that the main loop loaded for its current step, and those that it added since. */
  history: () => readonly MessageRecord[];
  /**
   * Store the requests of `forceTurn` and `stop`. After a crash a tool call that has a result is not executed again, so a request of this
   * call that is not stored would be lost.
   */
  keep: { forced(side: Side): void; stopped(): void };
}

/** Builds `state.execution` for a run. */
export function executionState(
  runId: string,
  messages: readonly MessageRecord[],
  { flag, signal, strategy, history, keep }: ExecutionParts,
): ExecutionState {
  const steps = (side?: Side) =>
    messages.filter(
      (message) => isModelAnswer(message) && isInScope(mainScope, message) && (side ?? message.side) === message.side,
    ).length;
  const state: ExecutionState = {
    flowId: runId,
    get currentSide() {
      return strategy.side;
    },
    get stepCount() {
      return steps();
    },
    get sideAStepCount() {
      return steps("a");
    },
    get sideBStepCount() {
      return steps("b");
    },
    get turnCount() {
      return strategy.turns;
    },
    get stopped() {
      return flag.asked || signal.aborted;
    },
    get messageHistory() {
      return history().filter(isSendable).map(specMessage);
    },
    forceTurn: (side) => {
      if (side !== "a" && side !== "b") throw refuse("invalid_request", 'forceTurn takes "a" or "b".');
      strategy.forceTurn(side);
      keep.forced(side);
    },
    stop: () => {
      if (!flag.asked) keep.stopped();
      flag.ask(strategy.side);
    },
    abortSignal: signal,
  };
  // Standard Agents makes the property optional, so it is absent until a definition stops the run.
  flag.onStop = (by) => Object.defineProperty(state, "stoppedBy", { value: by, enumerable: true });
  if (flag.by !== null) flag.onStop(flag.by);
  return state;
}
