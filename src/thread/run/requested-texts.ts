// Counts the texts that the servers of a definition requested in a run. The count is read from the run's rows, so that it includes the
// requests of the executions before a wait, an eviction or a crash.

import type { ExecutedRun } from "#core/record/run-record.ts";

import type { LiveThread } from "../live/live-thread.ts";

/**
 * Returns the number of requests to models that the run's log has for the calls of tools with this prefix. A request whose call has no row
 * counts for every prefix.
 */
export function requestedTexts({ store }: LiveThread, run: ExecutedRun, prefix: string): number {
  const calls = store
    .logs({ order: "asc", limit: 100_000, beyond: run.id, runId: run.id, type: "llm_request" })
    .flatMap(({ data: { execution, under } }) => (execution === undefined ? [] : [under]));
  if (calls.length === 0) return 0;
  const names = new Map<unknown, string>();
  for (const { id, name } of store.messagesAfter(run.branch, run.after_position))
    if (name !== null) names.set(id, name);
  return calls.filter((call) => names.get(call)?.startsWith(`${prefix}__`) ?? true).length;
}
