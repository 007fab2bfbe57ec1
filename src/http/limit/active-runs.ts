// How many of a user's threads may be at work at a time (contract, "Auth"). Counted in the memory of one isolate, from the
// runs it admitted; a thread is asked how its run stands only where the bound would refuse, so that the usual admission
// costs nothing. An administrator's runs are not bounded.

import { ThreadholdError } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import type { RunStatus } from "#contract/run.ts";
import type { Caller } from "#core/thread-rpc.ts";

/** Asks a thread how a run stands; null when it cannot be found any more. */
export type StatusOf = (threadId: string, runId: string) => Promise<RunStatus | null>;

/** The bound as the admission routes ask it. */
export interface ActiveRuns {
  /** Throws `rate_limited` where one more thread at work would be too many. */
  check(caller: Caller, threadId: string, statusOf: StatusOf): Promise<void>;
  /** Counts a run that was admitted, or goes on after it waited for somebody outside. */
  began(caller: Caller, threadId: string, runId: string): void;
}

/** Milliseconds after which another try makes sense. */
const retryAfterMs = 5000;

/** Users that are remembered; beyond that the longest unseen go. */
const userLimit = 10_000;

/** A run that waits for somebody outside costs nothing meanwhile: a hundred open approvals keep nobody from working. */
function isIdle(status: RunStatus): boolean {
  return isFinished(status) || status === "awaiting_tool_execution";
}

/** A bound of `most` threads at work for each user. */
export function createActiveRuns(most: number): ActiveRuns {
  const users = new Map<string, Map<string, string>>();

  return {
    async check({ user, admin }, threadId, statusOf) {
      const runs = admin || user === null ? undefined : users.get(user);
      // A thread that is at work lets further inputs wait: only another one adds to the load.
      if (runs === undefined || runs.size < most || runs.has(threadId)) return;
      for (const [thread, run] of runs) {
        const status = await statusOf(thread, run);
        if ((status === null || isIdle(status)) && runs.get(thread) === run) runs.delete(thread);
      }
      if (runs.size < most) return;
      const message = `${String(most)} of your threads are at work already. Wait for one, or stop it.`;
      throw new ThreadholdError({ code: "rate_limited", message, retry_after_ms: retryAfterMs });
    },
    began({ user, admin }, threadId, runId) {
      if (admin || user === null) return;
      const runs = users.get(user) ?? new Map<string, string>();
      runs.set(threadId, runId);
      users.delete(user);
      users.set(user, runs);
      const oldest = users.size > userLimit ? users.keys().next().value : undefined;
      if (oldest !== undefined) users.delete(oldest);
    },
  };
}
