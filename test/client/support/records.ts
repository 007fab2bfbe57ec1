// The thread and the run of the client's tests.

import type { Run } from "#contract/run.ts";
import type { Thread } from "#contract/thread.ts";

import { runRecord, threadRecord } from "../../support/records.ts";

export const threadId = "3f0a0000-0000-4000-8000-000000000001";

export function threadOf(changes: Partial<Thread> = {}): Thread {
  return threadRecord({
    id: threadId,
    agent_id: "assistant",
    origin_agent_id: "assistant",
    created_at: 1,
    updated_at: 1,
    ...changes,
  });
}

/** A run that has ended. */
export function runOf(changes: Partial<Run> = {}): Run {
  return runRecord({
    id: "run",
    status: "completed",
    agent_id: "assistant",
    created_at: 1,
    started_at: 1,
    ended_at: 1,
    first_seq: 1,
    steps: 1,
    ...changes,
  });
}
