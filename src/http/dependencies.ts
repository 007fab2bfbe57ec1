// Everything that the application receives from the Worker: stores, objects, variables, time and timers. Tests pass their own.

import type { FeedDirectory } from "#core/feed-rpc.ts";
import type { ThreadDirectory } from "#core/thread-rpc.ts";
import type { Log } from "#lib/log-port.ts";
import type { Timers } from "#lib/timers.ts";
import type { Diagnostic } from "#spec/diagnostic.ts";
import type { AnyModelDefinition } from "#spec/model.ts";
import type { Registry } from "#spec/registry.ts";
import type { Catalog } from "#store/catalog/catalog.ts";

import type { Dialect } from "./dialect.ts";
import type { RateLimiter } from "./limit/rate-limiter.ts";
import type { Assets } from "./page/serve-page.ts";

/**
 * Variables of the deployment that the application reads. An invalid value never opens anything: it closes what the variable
 * protects.
 */
export interface Variables {
  /** Comma-separated entries `secret` (an administrator) or `secret=user_id` (that user). */
  API_TOKENS?: string | undefined;
  /** Secret of JSON Web Tokens with HS256. */
  JWT_SECRET?: string | undefined;
  /** URL of the key set of JSON Web Tokens with asymmetric signatures: https, or http on a loopback host. */
  JWKS_URL?: string | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_AUDIENCE?: string | undefined;
  /** Signs tickets. Default: a key derived from `JWT_SECRET` and the administrators' tokens; without those no tickets are issued. */
  TICKET_SECRET?: string | undefined;
  /** `true`: while no credentials are configured, serve requests on loopback hosts without credentials. */
  OPEN_LOOPBACK?: string | undefined;
  /** Comma-separated origins whose pages may call the API. */
  ALLOWED_ORIGINS?: string | undefined;
  /** Messages and runs that a user may start in a minute. Default 60. */
  LIMIT_ADMISSIONS_PER_MINUTE?: string | undefined;
  /** Changes of threads, messages and files that a user may make in a minute. Default 300. */
  LIMIT_CHANGES_PER_MINUTE?: string | undefined;
  /** Tools that a user may invoke directly in a minute. Default 60. */
  LIMIT_INVOCATIONS_PER_MINUTE?: string | undefined;
  LIMIT_SEARCHES_PER_MINUTE?: string | undefined;
  /** Streams, waits and sockets that a user may have open. Default 20. */
  LIMIT_OPEN_STREAMS?: string | undefined;
  /** Running threads that a user may have. Default 10. */
  LIMIT_ACTIVE_RUNS?: string | undefined;
}

/** Whether a model can be used. `missing` is the name of the variable that it lacks. */
export interface Readiness {
  ready: boolean;
  missing: string | null;
}

/** Dependencies of the application, created once for each isolate. */
export interface AppDependencies {
  registry: Registry;
  /** Findings of the last build, which `/healthz` returns. */
  diagnostics: readonly Diagnostic[];
  threads: ThreadDirectory;
  /** Threads by the id of their Durable Object. Throws `invalid_request` for an id that is not of this deployment. */
  objects: ThreadDirectory;
  feeds: FeedDirectory;
  catalog: Catalog;
  readiness: (model: AnyModelDefinition) => Readiness;
  variables: Variables;
  version: string;
  /** Protocols of other projects that are served next to the API. */
  dialects: readonly Dialect[];
  /** The built playground. Without it no pages are served. */
  assets?: Assets | undefined;
  /** Microseconds since the epoch. */
  now: () => number;
  /** A rate limiter of the platform that limits admissions across isolates, in addition to each isolate's own count. */
  admissions?: RateLimiter | undefined;
  /** Default: the platform's timers. */
  timers?: Timers | undefined;
  /** Fetches key sets. Default: the platform's. */
  fetch?: typeof fetch | undefined;
  /** The console when absent. */
  log?: Log | undefined;
}
