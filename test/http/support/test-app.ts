// The app with fakes, and short functions to send it requests.

import { feedName } from "#core/rpc/feed-rpc.ts";
import { dialects } from "#dialect/dialects.ts";
import { createApp } from "#http/app.ts";
import type { App } from "#http/app.ts";
import type { AppDependencies } from "#http/dependencies.ts";
import type { Variables } from "#http/variables.ts";
import { createLog } from "#lib/log-port.ts";
import { searchCatalogue } from "#models/catalogue-search.ts";
import { modelFacts } from "#models/model-facts.ts";
import type { ModelCatalogue } from "#spec/index.ts";
import type { RouteEntry } from "#spec/registry.ts";
import type { Catalog } from "#store/catalog/catalog.ts";

import { createMemoryCatalog } from "../../support/memory-store/memory-catalog.ts";
import { threadRecord } from "../../support/records.ts";
import { FakeFeed } from "./fake-feed.ts";
import { FakeThread } from "./fake-thread.ts";
import { ManualTime } from "./manual-timers.ts";
import { testRegistry } from "./test-registry.ts";

export const origin = "https://api.example";
export const adminToken = "admin-secret";
export const annaToken = "anna-secret";
export const berndToken = "bernd-secret";
export const tokens = `${adminToken},${annaToken}=anna,${berndToken}=bernd`;

/** The facts that the catalogue has of the registry's model. */
const source = { url: "https://prices.example/", date: "2026-07-02" };
const catalogue: ModelCatalogue = {
  openai: {
    "gpt-4o": {
      limits: { contextWindow: 128_000, inputLimit: null, outputLimit: 16_384, source },
      prices: { inputPrice: 2.5, outputPrice: 10, longPrompt: { above: 100_000, outputPrice: 20 }, source },
      capabilities: { vision: true, functionCalling: true, reasoning: false, source },
    },
  },
};

export interface Ask {
  method?: string;
  token?: string | null;
  headers?: Record<string, string>;
  /** The body, sent as JSON. */
  json?: unknown;
  /** The body, sent unchanged. */
  body?: BodyInit;
  signal?: AbortSignal;
  base?: string;
}

export interface TestApp {
  app: App;
  time: ManualTime;
  catalog: Catalog;
  /** The object of an id, created by the first call. */
  object: (id: string) => FakeThread;
  /** The feed of an owner, created by the first call. */
  feed: (owner: string | null) => FakeFeed;
  /** The ids of the objects that were called. */
  reached: string[];
  log: string[];
  ask: (path: string, options?: Ask) => Promise<Response>;
  /** Stores a thread in its object and returns it. */
  seed: (owner?: string | null) => { id: string; object: FakeThread };
}

export interface TestAppOptions {
  variables?: Variables;
  routes?: readonly RouteEntry[];
  dependencies?: Partial<AppDependencies>;
}

const noServer = () => Promise.reject(new Error("No server is defined."));

export function testApp({
  variables = { API_TOKENS: tokens },
  routes = [],
  dependencies = {},
}: TestAppOptions = {}): TestApp {
  const time = new ManualTime();
  const catalog = createMemoryCatalog();
  const objects = new Map<string, FakeThread>();
  const reached: string[] = [];
  const log: string[] = [];
  const object = (id: string): FakeThread => {
    const known = objects.get(id) ?? new FakeThread();
    objects.set(id, known);
    known.feed = feed;
    return known;
  };
  const feeds = new Map<string, FakeFeed>();
  const feed = (owner: string | null): FakeFeed => {
    const known =
      feeds.get(feedName(owner)) ??
      new FakeFeed(time.now, (holder, ids) =>
        ("thread" in holder ? object(holder.thread) : feed(holder.feed)).held(ids),
      );
    feeds.set(feedName(owner), known);
    return known;
  };
  const app = createApp({
    registry: testRegistry(routes),
    diagnostics: [],
    prefix: "",
    playground: "",
    threads: (id) => {
      reached.push(id);
      return object(id);
    },
    objects: (id) => {
      reached.push(id);
      return object(id);
    },
    feeds: (owner) => {
      reached.push(feedName(owner));
      return feed(owner);
    },
    catalog,
    readiness: () => ({ ready: false, missing: ["OPENAI_API_KEY"] }),
    modelFacts: (model) => modelFacts(model, {}, catalogue),
    testModel: () => Promise.reject(new Error("No model is tried.")),
    searchCatalogue,
    sourceState: () => Promise.reject(new Error("No source is defined.")),
    authorizations: noServer,
    variables,
    version: "1.2.3",
    dialects,
    now: time.now,
    timers: time,
    // The middle of the range, so that a wait has its nominal length.
    random: () => 0.5,
    log: createLog((line) => log.push(line)),
    ...dependencies,
  });
  return {
    app,
    time,
    catalog,
    object,
    feed,
    reached,
    log,
    ask: (path, options = {}) => app.fetch(request(path, options), { BINDING: "value" }),
    seed(owner = "anna") {
      const id = crypto.randomUUID();
      const thread = object(id);
      thread.thread = threadRecord({ id, user_id: owner });
      return { id, object: thread };
    },
  };
}

export function request(
  path: string,
  { method = "GET", token = annaToken, headers = {}, json, body, signal, base = origin }: Ask,
): Request {
  const given = new Headers(headers);
  if (token !== null && !given.has("authorization")) given.set("authorization", `Bearer ${token}`);
  if (json !== undefined && !given.has("content-type")) given.set("content-type", "application/json");
  const content = json === undefined ? body : JSON.stringify(json);
  return new Request(new URL(path, base), {
    method,
    headers: given,
    ...(content === undefined ? {} : { body: content }),
    ...(signal === undefined ? {} : { signal }),
  });
}

export interface ErrorBody {
  error: {
    code: string;
    message: string;
    details?: { fields?: { path: string; message: string }[]; [key: string]: unknown };
  };
}

/** Status and code of a refusal. */
export async function refusalOf(response: Response): Promise<{ status: number; code: string; fields: string[] }> {
  const { error } = await response.json<ErrorBody>();
  return { status: response.status, code: error.code, fields: (error.details?.fields ?? []).map(({ path }) => path) };
}
