// What all threads of a deployment share and what never changes while it runs: definitions, services and settings. The composition root
// (`compose.ts`) builds it.

import type { Allowance } from "#core/limits/allowed.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ImagePort } from "#core/ports/image-port.ts";
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
import type { Bucket } from "#store/files/file-bucket.ts";

/** The definitions, services and settings of a deployment. */
export interface Deployment {
  registry: Registry;
  models: ModelPort;
  /** The connection for models that definitions run by themselves. */
  connection: HostConnection;
  /** Fetches URLs that users, models or definitions chose. */
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

/** The settings of a deployment, equal for all its threads. */
interface Settings {
  /** The limits of runs and threads, and the step limit of a run that has no other (decision 8: step limits). */
  limits: Allowance;
  /** Version of the deployment, written on every run. */
  version: string | null;
  /** Removes the deployment's secrets from text for the log. */
  redact: (text: string) => string;
  /** Whether each call of a tool's function is logged, so that `threadhold dev` can name the calls that run when the Worker does not answer. */
  logToolCalls?: boolean;
}

/** The deployment's settings for files. */
export interface FileSettings {
  images: ImagePort;
  bucket: Bucket | null;
  /** Files of at least this many bytes are stored in the bucket. */
  bucketThreshold: number;
  /** The maximum number of bytes of a file. */
  limit: number;
  /** Files may be written while the object's storage, with all its rows, has at most this many bytes. */
  room: number;
}

/** The export of spans to a collector that the operator chose. */
interface TraceExport {
  settings: TraceSettings;
  fetch: typeof globalThis.fetch;
}
