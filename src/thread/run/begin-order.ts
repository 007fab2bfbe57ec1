// What is noted of runs that begin in another order than they were admitted in: replay has to know (`reader/begun-runs.ts`),
// since it reads runs by their ids.

import type { RunRecord, ThreadRecord } from "#core/record.ts";

/** What a run notes as it begins, and what its thread does; `queue` is what waits behind it. */
export function beginOrder(
  { queue, overtaker = "" }: Pick<ThreadRecord, "queue" | "overtaker">,
  id: string,
): { run: Pick<RunRecord, "overtook" | "overtaken">; thread: Pick<ThreadRecord, "overtaker"> } {
  const lowest = queue.reduce((least, waiting) => (waiting < least ? waiting : least), id);
  return {
    run: { ...(lowest < id ? { overtook: lowest } : {}), ...(id < overtaker ? { overtaken: overtaker } : {}) },
    thread: lowest < id && id > overtaker ? { overtaker: id } : {},
  };
}
