// What the parts of a thread's object share: the loaded thread and the world around it.

import type { JsonObject } from "#contract/json.ts";
import type { Allowance } from "#core/limits/allowed.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ImagePort } from "#core/ports/image-port.ts";
import type { ModelPort } from "#core/ports/model-port.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { LiveContext } from "#core/ports/run-ports.ts";
import type { PeerDirectory } from "#core/thread-peer.ts";
import type { Definitions } from "#flow/project-definitions.ts";
import type { Log } from "#lib/log-port.ts";
import type { AttachmentRef, ExecutionState, HookEntry, RouteEntry, ToolResult } from "#spec/index.ts";
import type { Catalog } from "#store/catalog/catalog.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { Wakeups } from "./background/wakeups.ts";
import type { ParentFeed } from "./children/parent-feed.ts";
import type { LiveThread } from "./live-thread.ts";
import type { SearchPlaces } from "./method/search-places.ts";
import type { OwnerFeed } from "./owner-feed.ts";

/** What a deployment decides; the same for every thread of it. */
export interface Settings {
  /** What runs and threads may use; the steps of a run where nobody sets a limit (decision 8). */
  limits: Allowance;
  /** Version of the deployment, written on every run. */
  version: string | null;
  /** Removes the deployment's secrets from text for the log. */
  redact: (text: string) => string;
}

/** A tool's result whose attachments are files of the thread. */
export type InvokedResult = ToolResult & { attachments?: AttachmentRef[] };

/** Where code of the project stands. */
export interface DefinitionPlace {
  /** That of its run; null at rest. */
  execution: ExecutionState | null;
  context: LiveContext;
  /** How many writes and calls of definitions it stands in: a hook of a message that a tool added stands one deeper. */
  depth: number;
}

/** Calls that no model asked for. */
export interface ThreadCalls {
  queue(name: string, args: JsonObject): void;
  /** `place` is that of the tool; null where a caller from outside invokes it. */
  invoke(name: string, args: JsonObject, place: DefinitionPlace | null): Promise<InvokedResult>;
}

/** Shared by the parts of one object. */
export interface ObjectContext {
  live: LiveThread;
  storage: MeteredStorage;
  definitions: Definitions;
  hooks: readonly HookEntry[];
  routes: readonly RouteEntry[];
  models: ModelPort;
  /** For addresses that somebody else chose. */
  outbound: OutboundFetch;
  catalog: Catalog;
  clock: Clock;
  faults: Faults;
  log: Log;
  wakeups: Wakeups;
  settings: Settings;
  files: ManagedThreadFiles;
  images: ImagePort;
  /** Places of the searches that requests ask for. */
  searches: SearchPlaces;
  /** Other threads of the deployment. */
  threads: PeerDirectory;
  /** Calls that definitions and callers ask for, beside those of models. */
  calls: ThreadCalls;
  /** Tells a child's parent what the child does; null for a thread without one. */
  feed: ParentFeed | null;
  /** Tells whoever watches the owner's threads. */
  ownerFeed: OwnerFeed;
  /** Keeps the object's promise of work in the background. */
  background: (work: Promise<unknown>) => void;
}
