// Tells the catalog all that it should know of this thread, whatever it was told before: for a catalog that was lost.

import type { Relisted } from "#core/thread-rpc.ts";

import type { OpenThread } from "../open-thread.ts";
import { entryOf, ranHere, runTotals } from "../outbox.ts";

/** Runs whose totals go to the catalog at a time. */
const page = 100;

/** Sends the entry, and the totals of every run that ended, but for those that an import brought. Repeating it changes nothing: the catalog counts a run once. */
export async function relistThread({ context }: OpenThread): Promise<Relisted> {
  const { live, catalog } = context;
  const { id } = live.record;
  let beyond: string | undefined;
  let told = 0;
  do {
    const rows = live.store.runs({ order: "asc", limit: page, beyond });
    const ended = rows.filter((run) => run.ended_at !== null && ranHere(run, live.record));
    await catalog.flush(
      entryOf(context),
      ended.flatMap((run) => runTotals(run, live.record)),
    );
    told += ended.length;
    beyond = rows.length < page ? undefined : rows.at(-1)?.id;
  } while (beyond !== undefined && !live.retired);
  return { thread_id: id, runs: told };
}
