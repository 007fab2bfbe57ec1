// Everything that the application receives from the Worker: stores, objects, variables, time and timers. Tests pass their own.

import type { SourceState } from "#contract/definition.ts";
import type { ModelTrial } from "#contract/model-test.ts";
import type { FeedDirectory } from "#core/rpc/feed-rpc.ts";
import type { ThreadDirectory } from "#core/rpc/thread-rpc.ts";
import type { Log } from "#lib/log-port.ts";
import type { Timers } from "#lib/timers.ts";
import type { Diagnostic } from "#spec/diagnostic.ts";
import type { CatalogueModel, CatalogueQuery, ModelFacts, ModelReadiness } from "#spec/model-status.ts";
import type { AnyModelDefinition } from "#spec/model.ts";
import type { Registry, ToolSourceDefinition, ToolSourceEntry } from "#spec/registry.ts";
import type { Catalog } from "#store/catalog/catalog.ts";

import type { Authenticate } from "./auth/own-authentication.ts";
import type { ServerAuthorizations } from "./authorization/server-authorizations.ts";
import type { Dialect } from "./dialect.ts";
import type { RateLimiter } from "./limit/rate-limiter.ts";
import type { PlaygroundPlace } from "./page/serve-page.ts";
import type { Variables } from "./variables.ts";

/** Dependencies of the application, created once for each isolate. Requests arrive without the prefix. */
export interface AppDependencies extends PlaygroundPlace {
  registry: Registry;
  /** Findings of the last build, which `/healthz` returns. */
  diagnostics: readonly Diagnostic[];
  threads: ThreadDirectory;
  /** Threads by the id of their Durable Object. Throws `invalid_request` for an id that is not of this deployment. */
  objects: ThreadDirectory;
  feeds: FeedDirectory;
  catalog: Catalog;
  readiness: (model: AnyModelDefinition) => ModelReadiness;
  modelFacts: (model: AnyModelDefinition) => ModelFacts;
  /** Sends small requests to a model. `problem` is the reason why none can be sent. */
  testModel: (
    model: { file: string; value: AnyModelDefinition },
    options: { kinds?: readonly ModelTrial["kind"][] | undefined; signal: AbortSignal },
  ) => Promise<{ problem: string } | { trials: ModelTrial[] }>;
  /** Searches the models of the catalogue. */
  searchCatalogue: (query: CatalogueQuery) => Promise<{ models: CatalogueModel[]; next: number | null }>;
  /** Requests the tools of a definition with many tools, such as an MCP server, with the credentials of this user. */
  sourceState: (
    entry: ToolSourceEntry,
    definition: ToolSourceDefinition,
    userId: string | null,
  ) => Promise<SourceState>;
  /** Loads the authorizations of MCP servers. */
  authorizations: () => Promise<ServerAuthorizations>;
  variables: Variables;
  /** Replaces the tokens of the variables: identifies the caller of a request. */
  authenticate?: Authenticate | undefined;
  version: string;
  /** Protocols of other projects that are served next to the API. */
  dialects: readonly Dialect[];
  /** Microseconds since the epoch. */
  now: () => number;
  /** A rate limiter of the platform that limits admissions across isolates, in addition to each isolate's own count. */
  admissions?: RateLimiter | undefined;
  /** Default: the platform's timers. */
  timers?: Timers | undefined;
  /** Returns a number from 0 up to 1, for waits. Default: the platform's. */
  random?: (() => number) | undefined;
  /** Fetches key sets. Default: the platform's. */
  fetch?: typeof fetch | undefined;
  /** Default: the console. */
  log?: Log | undefined;
}
