// The methods of a thread as a whole: show it, change it, stop its run, delete it (`lifetime/thread-deletion.ts`), send it to the catalog
// (the deployment's index of all threads) again.

import { refuse } from "#contract/error.ts";
import type { PatchThread } from "#contract/thread-route.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";
import { toThread } from "#core/record/view.ts";
import type { Relisted } from "#core/rpc/thread-rpc.ts";

import { entryOf, ranHere, runTotals } from "../background/catalog-task.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import { dropInput } from "../run/drop-input.ts";
import { runOfKey } from "../run/idempotency.ts";
import type { OpenThread } from "./loaded-thread.ts";
import type { MethodGroup } from "./method-call.ts";

export const changeMethods: MethodGroup<"describe" | "patch" | "stop" | "remove" | "relist"> = {
  describe: ({ thread }) => view(thread().live),
  patch: ({ thread }, change) => patchThread(thread(), change),
  stop({ thread }, runId, key) {
    const open = thread();
    const id = key === undefined ? runId : runOfKey(open.live, key);
    return key !== undefined && id === null ? { status: open.live.record.status } : stopThread(open, id);
  },
  remove: async ({ remove }, byParent = false) => {
    await remove(byParent);
    return null;
  },
  relist: ({ thread }) => relistThread(thread()),
};

/** The thread's current state in the form of the API. */
export function view(live: LiveThread): Thread {
  return { ...toThread(live.record), last_seq: live.lastSeq };
}

/** Changes title, tags, metadata or agent. */
async function patchThread(
  { deployment, live, definitions, wakeups }: Pick<OpenThread, "deployment" | "live" | "definitions" | "wakeups">,
  change: PatchThread,
): Promise<Thread> {
  const { agent_id, title, tags, metadata } = change;
  if (agent_id !== undefined) {
    await definitions.agent(agent_id);
    if (live.record.active_run_id !== null && agent_id !== live.record.agent_id) {
      throw refuse("conflict", "The agent cannot change while a run is active.");
    }
  }
  live.change({
    ...(agent_id === undefined ? {} : { agent_id }),
    // A title of the caller's stays, also none.
    ...(title === undefined ? {} : { title, titled_by: null }),
    ...(tags === undefined ? {} : { tags }),
    ...(metadata === undefined ? {} : { metadata }),
    updated_at: deployment.clock.now(),
  });
  live.markForCatalog();
  live.emitUpdated();
  await wakeups.updateCatalog();
  return view(live);
}

/** Stops the active run, or removes a queued run. The response is sent when that is durable. A repeated stop changes nothing. */
function stopThread(
  open: Pick<OpenThread, "deployment" | "live" | "files" | "driver">,
  runId: string | null,
): { status: ThreadStatus } {
  const { live, driver } = open;
  if (!driver.stop(runId) && runId !== null) {
    const run = live.store.run(runId);
    if (run === null) throw refuse("run_not_found", `There is no run "${runId}" in this thread.`);
    if (run.status === "queued" && live.record.queue.run_ids.includes(runId)) dropInput(open, run);
  }
  return { status: live.record.status };
}

/** The number of runs whose totals are sent to the catalog at a time. */
const page = 100;

/**
 * Sends the thread's entry and the totals of every ended run to the catalog, to rebuild a lost catalog. Imported runs are not sent.
 * Repeating it changes nothing, because the catalog counts a run once.
 */
async function relistThread({ live, deployment: { catalog } }: DeployedThread): Promise<Relisted> {
  const { id } = live.record;
  let beyond: string | undefined;
  let sent = 0;
  do {
    const rows = live.store.runs({ order: "asc", limit: page, beyond });
    const ended = rows.filter((run) => run.ended_at !== null && ranHere(run, live.record));
    await catalog.flush(
      entryOf(live),
      ended.flatMap((run) => runTotals(run, live.record)),
    );
    sent += ended.length;
    beyond = rows.length < page ? undefined : rows.at(-1)?.id;
  } while (beyond !== undefined && !live.retired);
  return { thread_id: id, runs: sent };
}
