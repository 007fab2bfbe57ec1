// The state of the current run, as tools and hooks can read and change it.

import type { Message } from "./message.ts";

/** The current run (Standard Agents, threads). */
export interface ExecutionState {
  /** The run's id. */
  readonly flowId: string;
  /** The side whose turn it is; always `a` under `ai_human`. */
  readonly currentSide: "a" | "b";
  /** Number of steps of both sides so far. */
  readonly stepCount: number;
  readonly sideAStepCount: number;
  readonly sideBStepCount: number;
  /** Number of turns that have ended. An addition, which the hook example of Standard Agents reads. */
  readonly turnCount?: number;
  /** Whether a stop was requested. */
  readonly stopped: boolean;
  readonly stoppedBy?: "a" | "b";
  /** The messages that started this run and those that it has added. */
  readonly messageHistory: Message[];
  /** Gives the next turn to a side. No effect under `ai_human`. */
  forceTurn(side: "a" | "b"): void;
  /** Ends the run after the current operation. A pending model request is not aborted. */
  stop(): void;
  /** Aborted when the run is cancelled. Pass it to operations that wait. */
  readonly abortSignal: AbortSignal;
}
