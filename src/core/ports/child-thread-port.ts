// The port that starts and stops child threads. A child thread works on one call of its parent's run.

import type { Limits } from "#contract/run.ts";

import type { AwaitedChildResult } from "../record/awaited.ts";

/** A child thread to start: the call that it works on, its first message, and its limits. */
export interface ChildStart {
  thread_id: string;
  agent_id: string;
  run_id: string;
  tool_call_id: string;
  message_id: string;
  /** The child's first message. */
  text: string;
  /** The limits of the child's run. */
  limits: Limits;
}

/**
 * Contract: `start` is idempotent by `thread_id`. It rejects if the child cannot be reached or refuses; it may be called again. `stop` is
 * stored, and retried until the child has received it.
 */
export interface ChildThreads {
  /** The number of ancestor threads (parent, its parent, and so on). It bounds agents that call each other. */
  readonly depth: number;
  newId(): string;
  start(child: ChildStart): Promise<void>;
  stop(awaited: AwaitedChildResult): void;
}
