// Loads a thread into memory: its row, the readers whose sockets hibernated, and the driver of its runs.

import type { ThreadRecord } from "#core/record/record.ts";
import { SetupDefinitions } from "#flow/setup/setup-definitions.ts";
import type { MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { Alarm } from "./alarm.ts";
import { removePendingAttachments } from "./attachments/pending-attachments.ts";
import { Wakeups } from "./background/wakeups.ts";
import { ParentFeed } from "./children/parent-feed.ts";
import { threadFiles } from "./files/loaded-thread-files.ts";
import { LiveThread } from "./live/live-thread.ts";
import type { OpenThread } from "./method/loaded-thread.ts";
import { SearchPlaces } from "./method/search-places.ts";
import { restoreReader } from "./method/subscribe.ts";
import type { ObjectContext } from "./object-context.ts";
import { threadAuthorizations } from "./owner-authorizations.ts";
import type { OwnerFeed } from "./owner-feed.ts";
import { threadCalls } from "./run/definition-calls.ts";
import { Driver } from "./run/driver.ts";
import type { ThreadDependencies } from "./thread-dependencies.ts";
import { RunTraces, type RunTracesOptions } from "./trace/run-traces.ts";

/** Dependencies of `openThread`. */
export interface OpenOptions {
  dependencies: ThreadDependencies;
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
  const { dependencies, storage, store, record, alarm, state, ownerFeed } = options;
  const live = new LiveThread(store, record, dependencies.clock);
  for (const socket of state.getWebSockets()) {
    const reader = restoreReader(socket);
    if (reader !== null) live.broadcaster.rejoin(reader);
  }
  const { threads, catalog, clock, random, faults, log, outbound, webhook } = dependencies;
  const background = (work: Promise<unknown>) => state.waitUntil(work);
  const feed = record.parent === null ? null : new ParentFeed({ live, threads, background });
  if (feed !== null) live.broadcaster.onEvent = (event) => feed.receive(event);
  const files = threadFiles(live, {
    storage,
    clock,
    settings: dependencies.files,
    onGarbage: () => alarm.notAfter(clock.now() / 1000 + sweepAfterMs),
  });
  const traces =
    dependencies.traces === null
      ? null
      : openTraces(dependencies, dependencies.traces, { threadId: record.id, background });
  const ports = { threads, catalog, clock, random, faults, log, background, outbound };
  const shared = { ...ports, live, feed, files, ownerFeed, traces };
  const wakeups = new Wakeups({ ...shared, alarm, webhook });
  const context: ObjectContext = {
    ...shared,
    wakeups,
    storage,
    definitions: new SetupDefinitions(dependencies.registry, () => live.record.setup),
    hooks: dependencies.registry.hooks,
    filters: dependencies.registry.filters ?? [],
    routes: dependencies.registry.routes,
    models: dependencies.models,
    connection: dependencies.connection,
    settings: dependencies.settings,
    images: dependencies.files.images,
    searches: new SearchPlaces(),
    authorizations: threadAuthorizations(live, { feeds: dependencies.feeds, storage }),
    calls: threadCalls(
      () => context,
      () => driver,
    ),
  };
  const driver: Driver = new Driver(context);
  ownerFeed.watch(live);
  live.onIdleChange(() => background(wakeups.runAndSleep()));
  removePendingAttachments(context);
  return { context, driver, storage, store };
}

function openTraces(
  { settings: { version, redact }, log }: ThreadDependencies,
  { settings, fetch }: NonNullable<ThreadDependencies["traces"]>,
  thread: Pick<RunTracesOptions, "threadId" | "background">,
): RunTraces {
  return new RunTraces({ ...thread, settings, fetch, version, redact, log });
}

/** Whether the deadline of a waiting call has passed. The alarm may be late, because the clock may have changed after it was set. */
export function hasPassedDeadline({ context: { live, clock } }: OpenThread): boolean {
  const { pending = [] } = live.record;
  return pending.some(({ deadline }) => deadline !== null && deadline <= clock.now());
}
