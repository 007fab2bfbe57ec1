// A thread in the memory of its object: what the deployment has, and what belongs to this thread. Methods receive it and pass it on;
// functions below name the parts that they take.

import type { Definitions } from "#flow/setup/project-definitions.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { ParentFeed } from "../children/parent-feed.ts";
import type { Deployment } from "../deployment.ts";
import type { LiveThread } from "../live/live-thread.ts";
import type { ThreadAuthorizations } from "../owner-authorizations.ts";
import type { OwnerFeed } from "../owner-feed.ts";
import type { Driver } from "../run/driver.ts";
import type { ThreadCalls, ThreadWakeups } from "../thread-ports.ts";
import type { RunTraces } from "../trace/run-traces.ts";
import type { SearchPlaces } from "./search-places.ts";

/** A thread that is loaded. */
export interface OpenThread {
  deployment: Deployment;
  live: LiveThread;
  storage: MeteredStorage;
  /** The project's definitions, with those of the thread's setup. */
  definitions: Definitions;
  driver: Driver;
  wakeups: ThreadWakeups;
  files: ManagedThreadFiles;
  /** Bounds how many client searches run at once. */
  searches: SearchPlaces;
  /** Tool calls that definitions and clients make, in addition to those of models. */
  calls: ThreadCalls;
  /** Sends the events of a child thread to its parent thread; null for a thread without a parent. */
  feed: ParentFeed | null;
  /** The authorizations of the thread's owner at other servers. */
  authorizations: ThreadAuthorizations;
  /** Sends changes of the thread to the feed of its owner. */
  ownerFeed: OwnerFeed;
  /** Makes and exports the spans of the thread's runs; null if the deployment exports no traces. */
  traces: RunTraces | null;
  /** Runs work in the background, by the platform's `waitUntil`. */
  background: (work: Promise<unknown>) => void;
}
