// Threads that a run starts to have a call answered.

import type { Limits } from "#contract/run.ts";

import type { AwaitedChild } from "../awaited.ts";

/** The call that a child thread answers, and what it is asked. */
export interface ChildStart {
  thread_id: string;
  agent_id: string;
  run_id: string;
  tool_call_id: string;
  message_id: string;
  /** Its first message. */
  text: string;
  /** What its run may use at most. */
  limits: Limits;
}

/**
 * Contract: `start` is idempotent by `thread_id`; it rejects when the child could not be reached or refused, and may be tried
 * again. `stop` is remembered and retried until the child has received it.
 */
export interface ChildThreads {
  /** Threads above the one that asks; a chain that calls itself has to end. */
  readonly depth: number;
  newId(): string;
  start(child: ChildStart): Promise<void>;
  stop(awaited: AwaitedChild): void;
}
