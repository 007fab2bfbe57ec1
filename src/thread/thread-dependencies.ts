// The external dependencies of a thread's object. The composition root (`compose.ts`) builds them.

import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ModelPort } from "#core/ports/model-port.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { HostConnection } from "#core/ports/tool-host.ts";
import type { FeedDirectory, OwnerFeedRpc } from "#core/rpc/feed-rpc.ts";
import type { PeerDirectory } from "#core/rpc/thread-peer.ts";
import type { Log } from "#lib/log-port.ts";
import type { TraceSettings } from "#lib/trace-settings.ts";
import type { WebhookSettings } from "#lib/webhook-settings.ts";
import type { Registry } from "#spec/index.ts";
import type { Catalog } from "#store/catalog/catalog.ts";

import type { FileSettings } from "./files/loaded-thread-files.ts";
import type { Settings } from "./object-context.ts";

/** The dependencies of every object of a deployment. */
export interface ThreadDependencies {
  registry: Registry;
  models: ModelPort;
  /** The connection for models that definitions run by themselves. */
  connection: HostConnection;
  outbound: OutboundFetch;
  catalog: Catalog;
  clock: Clock;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
  faults: Faults;
  log: Log;
  /** Other threads of the deployment. */
  threads: PeerDirectory;
  /** The feed objects of the threads' owners. */
  feeds: FeedDirectory<OwnerFeedRpc>;
  files: FileSettings;
  settings: Settings;
  /** How the spans of runs are exported; null if they are not. */
  traces: TraceExport | null;
  /** The webhook for threads that begin to wait; null if there is none. */
  webhook: WebhookSettings | null;
}

/** The export of spans to a collector that the operator chose. */
interface TraceExport {
  settings: TraceSettings;
  fetch: typeof globalThis.fetch;
}
