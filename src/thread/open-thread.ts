// Loads a thread into memory: its row, the readers whose sockets hibernated, and the driver of its runs.

import type { ThreadRecord } from "#core/record/record.ts";
import { SetupDefinitions } from "#flow/setup/setup-definitions.ts";
import type { MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { Alarm } from "./alarm.ts";
import { removePendingAttachments } from "./attachments/pending-attachments.ts";
import { Wakeups } from "./background/wakeups.ts";
import { ParentFeed } from "./children/parent-feed.ts";
import type { Deployment } from "./deployment.ts";
import { threadFiles } from "./files/loaded-thread-files.ts";
import { LiveThread } from "./live/live-thread.ts";
import type { DeployedThread } from "./live/live-thread.ts";
import type { OpenThread } from "./method/loaded-thread.ts";
import { SearchPlaces } from "./method/search-places.ts";
import { restoreReader } from "./method/subscribe.ts";
import { threadAuthorizations } from "./owner-authorizations.ts";
import type { OwnerFeed } from "./owner-feed.ts";
import { threadCalls } from "./run/definition-calls.ts";
import { Driver } from "./run/driver.ts";
import { RunTraces, type RunTracesOptions } from "./trace/run-traces.ts";

/** Dependencies of `openThread`. */
export interface OpenOptions {
  deployment: Deployment;
  storage: MeteredStorage;
  store: ManagedThreadStore;
  record: ThreadRecord;
  alarm: Alarm;
  state: DurableObjectState;
  ownerFeed: OwnerFeed;
}

/** Milliseconds after which the bytes of deleted or replaced files are removed from storage. */
const sweepAfterMs = 30_000;

/**
 * Loads the thread. Reads a few rows, and the messages of an active run. Writes only if a crash left files of messages that were not
 * admitted, to delete them.
 */
export function openThread(options: OpenOptions): OpenThread {
  const { deployment, storage, store, record, alarm, state, ownerFeed } = options;
  const { clock } = deployment;
  const live = new LiveThread(store, record, clock);
  for (const socket of state.getWebSockets()) {
    const reader = restoreReader(socket);
    if (reader !== null) live.broadcaster.rejoin(reader);
  }
  const background = (work: Promise<unknown>) => state.waitUntil(work);
  const feed = record.parent === null ? null : new ParentFeed({ deployment, live, background });
  if (feed !== null) live.broadcaster.onEvent = (event) => feed.receive(event);
  const files = threadFiles(live, {
    storage,
    clock,
    settings: deployment.files,
    onGarbage: () => alarm.notAfter(clock.now() / 1000 + sweepAfterMs),
  });
  const traces = openTraces(deployment, { threadId: record.id, background });
  const shared = { deployment, live, background, feed, files, ownerFeed, traces };
  const wakeups = new Wakeups({ ...shared, alarm });
  const parts = {
    ...shared,
    wakeups,
    storage,
    definitions: new SetupDefinitions(deployment.registry, () => live.record.setup),
    searches: new SearchPlaces(),
    authorizations: threadAuthorizations(live, { feeds: deployment.feeds, storage }),
    calls: threadCalls(() => open),
  };
  const open: OpenThread = { ...parts, driver: new Driver(parts) };
  ownerFeed.watch(live);
  live.onIdleChange(() => background(wakeups.runAndSleep()));
  removePendingAttachments(open);
  return open;
}

function openTraces(
  { traces, settings: { version, redact }, log }: Deployment,
  thread: Pick<RunTracesOptions, "threadId" | "background">,
): RunTraces | null {
  return traces === null ? null : new RunTraces({ ...thread, ...traces, version, redact, log });
}

/** Whether the deadline of a waiting call has passed. The alarm may be late, because the clock may have changed after it was set. */
export function hasPassedDeadline({ live, deployment }: DeployedThread): boolean {
  const { pending = [] } = live.record;
  return pending.some(({ deadline }) => deadline !== null && deadline <= deployment.clock.now());
}
