// Loads a thread into memory: its row, its readers that hibernated, the driver of its runs.

import type { ThreadRecord } from "#core/record.ts";
import { SessionDefinitions } from "#flow/session-definitions.ts";
import type { MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { Alarm } from "./alarm.ts";
import { removeUnclaimed } from "./attachments/unclaimed-files.ts";
import { ParentFeed } from "./children/parent-feed.ts";
import { threadFiles } from "./files/thread-files.ts";
import { LiveThread } from "./live-thread.ts";
import { SearchPlaces } from "./method/search-places.ts";
import type { ObjectContext } from "./object-context.ts";
import type { OwnerFeed } from "./owner-feed.ts";
import { Reader } from "./reader/reader.ts";
import { Driver } from "./run/driver.ts";
import { threadCalls } from "./run/thread-calls.ts";
import type { World } from "./world.ts";

/** A thread that is loaded. */
export interface OpenThread {
  context: ObjectContext;
  driver: Driver;
  storage: MeteredStorage;
  store: ManagedThreadStore;
}

/** What loading needs. */
export interface OpenOptions {
  world: World;
  storage: MeteredStorage;
  store: ManagedThreadStore;
  record: ThreadRecord;
  alarm: Alarm;
  state: DurableObjectState;
  ownerFeed: OwnerFeed;
}

/** Milliseconds after which bytes that no file stands for are looked at. */
const sweepAfterMs = 30_000;

/** Loads it. Reads a few rows, and writes none but for what a crash left of messages that never came. */
export function openThread(options: OpenOptions): OpenThread {
  const { world, storage, store, record, alarm, state, ownerFeed } = options;
  const live = new LiveThread(store, record, world.clock);
  for (const socket of state.getWebSockets()) {
    const reader = Reader.restore(socket);
    if (reader !== null) live.broadcaster.rejoin(reader);
  }
  const context: ObjectContext = {
    live,
    storage,
    definitions: new SessionDefinitions(world.registry, () => live.record.session),
    hooks: world.registry.hooks,
    routes: world.registry.routes,
    models: world.models,
    outbound: world.outbound,
    catalog: world.catalog,
    clock: world.clock,
    faults: world.faults,
    alarm,
    settings: world.settings,
    files: threadFiles(live, {
      storage,
      clock: world.clock,
      settings: world.files,
      onGarbage: () => alarm.notAfter(world.clock.now() / 1000 + sweepAfterMs),
    }),
    images: world.files.images,
    searches: new SearchPlaces(),
    threads: world.threads,
    calls: threadCalls(
      () => context,
      () => driver,
    ),
    feed: null,
    ownerFeed,
    background: (work) => state.waitUntil(work),
  };
  const driver: Driver = new Driver(context);
  if (record.parent !== null) {
    const feed = new ParentFeed(context);
    context.feed = feed;
    live.broadcaster.onEvent = (event) => feed.hear(event);
  }
  ownerFeed.watch(live);
  live.onChangeAtRest(() => context.background(driver.flushAndSleep()));
  removeUnclaimed(context);
  return { context, driver, storage, store };
}

/** Whether the deadline of a waiting call has passed. The alarm may be late, because the clock may have changed after it was set. */
export function isRestOver({ context: { live, clock } }: OpenThread): boolean {
  const { pending = [] } = live.record;
  return pending.some(({ deadline }) => deadline !== null && deadline <= clock.now());
}
