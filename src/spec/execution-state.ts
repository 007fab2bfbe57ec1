// What a definition can see and steer of the run it is called in.

import type { Message } from "./message.ts";

/** The run in progress (Standard Agents, threads). */
export interface ExecutionState {
  /** The run's id. */
  readonly flowId: string;
  /** The side that speaks; always `a` under `ai_human`. */
  readonly currentSide: "a" | "b";
  /** Steps of both sides so far. */
  readonly stepCount: number;
  readonly sideAStepCount: number;
  readonly sideBStepCount: number;
  /** Turns that have ended. An extra of ours that the document's own hook example reads. */
  readonly turnCount?: number;
  /** A stop has been asked for. */
  readonly stopped: boolean;
  readonly stoppedBy?: "a" | "b";
  /** The messages this run was started with and has made. */
  readonly messageHistory: Message[];
  /** Gives the next turn to a side. Does nothing under `ai_human`. */
  forceTurn(side: "a" | "b"): void;
  /** Ends the run after the present operation; a model request under way is not aborted. */
  stop(): void;
  /** Fires when the run is cancelled; pass it to what waits. */
  readonly abortSignal: AbortSignal;
}
