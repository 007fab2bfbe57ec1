// The dependencies that the parts of a thread's object share: the loaded thread, the deployment's definitions and services.

import type { JsonObject } from "#contract/json.ts";
import type { Allowance } from "#core/limits/allowed.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ImagePort } from "#core/ports/image-port.ts";
import type { ModelPort } from "#core/ports/model-port.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { LiveContext } from "#core/ports/run-ports.ts";
import type { HostConnection } from "#core/ports/tool-host.ts";
import type { WaitingCall } from "#core/record/awaited.ts";
import type { PeerDirectory } from "#core/rpc/thread-peer.ts";
import type { Definitions } from "#flow/setup/project-definitions.ts";
import type { Log } from "#lib/log-port.ts";
import type { AttachmentRef, ExecutionState, FilterEntry, HookEntry, RouteEntry, ToolResult } from "#spec/index.ts";
import type { Catalog } from "#store/catalog/catalog.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { ParentFeed } from "./children/parent-feed.ts";
import type { LiveThread } from "./live/live-thread.ts";
import type { SearchPlaces } from "./method/search-places.ts";
import type { ThreadAuthorizations } from "./owner-authorizations.ts";
import type { OwnerFeed } from "./owner-feed.ts";
import type { RunTraces } from "./trace/run-traces.ts";

/** The settings of a deployment, equal for all its threads. */
export interface Settings {
  /** The limits of runs and threads, and the step limit of a run that has no other (decision 8: step limits). */
  limits: Allowance;
  /** Version of the deployment, written on every run. */
  version: string | null;
  /** Removes the deployment's secrets from text for the log. */
  redact: (text: string) => string;
  /** Whether each call of a tool's function is logged, so that `threadhold dev` can name the calls that run when the Worker does not answer. */
  logToolCalls?: boolean;
}

/** A tool's result whose attachments are files of the thread. `value` is the value that the tool returned, for code of definitions. */
export type InvokedResult = ToolResult & { attachments?: AttachmentRef[]; value?: unknown };

/** The environment in which a definition's code runs: the run, the `state.context`, and the nesting depth. */
export interface DefinitionPlace {
  /** `state.execution` of the run; null if the code runs outside of a run. */
  execution: ExecutionState | null;
  context: LiveContext;
  /**
   * The nesting depth of definitions' writes and calls around this code: a hook for a message that a tool added is one deeper than the
   * tool.
   */
  depth: number;
}

/** Tool calls that definitions and clients make, in addition to those of models. */
export interface ThreadCalls {
  queue(name: string, args: JsonObject): void;
  /** `place` is the environment of the code that invokes the tool; null if a client invokes it. */
  invoke(name: string, args: JsonObject, place: DefinitionPlace | null): Promise<InvokedResult>;
}

/** When the object is awake (`background/wakeups.ts`): the heartbeat of a run, the background tasks, and the alarm. */
export interface ThreadWakeups {
  /** Sends messages to other threads. */
  readonly outbound: { run(): Promise<void> };
  /** The webhook for calls that begin to wait; null if the deployment has none. */
  readonly webhook: { add(calls: readonly WaitingCall[]): void } | null;
  /** Sets the alarm to `ms` milliseconds from now, unless it is set to an earlier time. */
  notAfter(ms: number): void;
  /** Sets the alarm to a time (microseconds), unless it is set to an earlier time. */
  wakeAt(at: number): void;
  startHeartbeat(): void;
  beat(): void;
  /** Runs pending tasks in the background. */
  runSoon(): void;
  updateCatalog(): Promise<void>;
  /** Sets the alarm for the end of a suspension (microseconds). */
  suspendUntil(until: number): void;
  /** Runs the tasks, and sets the alarm for the next time at which something is due. */
  runAndSleep(): Promise<void>;
}

/** The dependencies of one object's parts. */
export interface ObjectContext {
  live: LiveThread;
  storage: MeteredStorage;
  definitions: Definitions;
  hooks: readonly HookEntry[];
  filters: readonly FilterEntry[];
  routes: readonly RouteEntry[];
  models: ModelPort;
  /** The connection for models that definitions run by themselves. */
  connection: HostConnection;
  /** Fetches URLs that users, models or definitions chose. */
  outbound: OutboundFetch;
  catalog: Catalog;
  clock: Clock;
  /** A random number from 0 up to 1. */
  random: () => number;
  faults: Faults;
  log: Log;
  wakeups: ThreadWakeups;
  settings: Settings;
  files: ManagedThreadFiles;
  images: ImagePort;
  /** Bounds how many client searches run at once. */
  searches: SearchPlaces;
  /** Other threads of the deployment. */
  threads: PeerDirectory;
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
