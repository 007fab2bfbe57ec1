// What the Worker hands to the app. Everything that touches the outside comes in here, so that tests give their own.

import type { FeedDirectory } from "#core/feed-rpc.ts";
import type { ThreadDirectory } from "#core/thread-rpc.ts";
import type { Log } from "#lib/log.ts";
import type { Timers } from "#lib/timers.ts";
import type { Diagnostic } from "#spec/diagnostic.ts";
import type { AnyModelDefinition } from "#spec/model.ts";
import type { Registry } from "#spec/registry.ts";
import type { Catalog } from "#store/catalog/catalog.ts";

import type { Dialect } from "./dialect.ts";
import type { RateLimiter } from "./limit/rate-limiter.ts";
import type { Assets } from "./page/serve-page.ts";

/**
 * The variables the app reads, as the deployment gives them. A variable that is set but makes no sense closes what it
 * guards; it never opens anything.
 */
export interface Variables {
  /** Comma list of `secret` (an administrator) or `secret=user_id` (that user). */
  API_TOKENS?: string | undefined;
  /** Secret of HS256 tokens. */
  JWT_SECRET?: string | undefined;
  /** Key set of tokens with asymmetric signatures: https, or http on a loopback host. */
  JWKS_URL?: string | undefined;
  JWT_ISSUER?: string | undefined;
  JWT_AUDIENCE?: string | undefined;
  /** Signs tickets. If absent, a key is derived from `JWT_SECRET` and the administrators' tokens; without those no tickets are issued. */
  TICKET_SECRET?: string | undefined;
  /** `true` serves loopback hosts without credentials while none are configured. */
  OPEN_LOOPBACK?: string | undefined;
  /** Comma list of foreign origins that browsers may call from. */
  ALLOWED_ORIGINS?: string | undefined;
  /** Messages and runs a user may start in a minute; 60 when absent. */
  LIMIT_ADMISSIONS_PER_MINUTE?: string | undefined;
  /** Changes of threads, messages and files a user may make in a minute; 300 when absent. */
  LIMIT_CHANGES_PER_MINUTE?: string | undefined;
  /** Tools a user may invoke by hand in a minute; 60 when absent. */
  LIMIT_INVOCATIONS_PER_MINUTE?: string | undefined;
  LIMIT_SEARCHES_PER_MINUTE?: string | undefined;
  /** Streams, waits and sockets a user may hold open; 20 when absent. */
  LIMIT_OPEN_STREAMS?: string | undefined;
  /** Threads of a user that may be at work at a time; 10 when absent. */
  LIMIT_ACTIVE_RUNS?: string | undefined;
}

/** Whether a model can be asked; `missing` names the variable it waits for. */
export interface Readiness {
  ready: boolean;
  missing: string | null;
}

/** What `createApp` is built from, once per isolate. */
export interface AppDependencies {
  registry: Registry;
  /** What the last build found; shown by `/healthz`. */
  diagnostics: readonly Diagnostic[];
  threads: ThreadDirectory;
  /** Threads by the ids of their objects; throws `invalid_request` for an id that is none of this deployment. */
  objects: ThreadDirectory;
  feeds: FeedDirectory;
  catalog: Catalog;
  readiness: (model: AnyModelDefinition) => Readiness;
  variables: Variables;
  version: string;
  /** Protocols of other projects that are served next to the API. */
  dialects: readonly Dialect[];
  /** What was built of the playground; without it there are no pages. */
  assets?: Assets | undefined;
  /** Microseconds since epoch. */
  now: () => number;
  /** A rate limiter of the platform that bounds admissions across isolates, in addition to each isolate's own count. */
  admissions?: RateLimiter | undefined;
  /** The platform's timers when absent. */
  timers?: Timers | undefined;
  /** Fetches key sets; the platform's when absent. */
  fetch?: typeof fetch | undefined;
  /** The console when absent. */
  log?: Log | undefined;
}
