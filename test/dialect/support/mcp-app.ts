// The endpoint of MCP clients over real threads, in this process. Each request goes to another instance of the application, as it does when
// a deployment has several isolates: nothing that a request needs may be in the memory of one.

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { createD1Catalog } from "#store/catalog/d1-catalog.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import { connectMcp } from "../../support/mcp-client.ts";
import type { McpClient, McpClientOptions } from "../../support/mcp-client.ts";
import { registry } from "../../worker/definitions.ts";

export const origin = "https://api.example";

const variables = {
  ...(env as unknown as Environment),
  OPEN_LOOPBACK: "",
  API_TOKENS: "admin-secret,anna-secret=anna,ben-secret=ben,cleo-secret=cleo,dora-secret=dora,emma-secret=emma",
  ALLOWED_ORIGINS: "https://app.example",
  LIMIT_ADMISSIONS_PER_MINUTE: "100000",
  LIMIT_CHANGES_PER_MINUTE: "100000",
  LIMIT_LISTS_PER_MINUTE: "100000",
  LIMIT_SEARCHES_PER_MINUTE: "100000",
  LIMIT_OPEN_STREAMS: "1000",
  LIMIT_ACTIVE_RUNS: "1000",
};

const apps = [compose(registry, {}), compose(registry, {})];
let sent = 0;

/** Creates the tables of the catalog, as the migrations of a deployment do. */
export async function createCatalog(): Promise<void> {
  await createD1Catalog(env.CATALOG, { ensureSchema: true }).get(crypto.randomUUID());
}

type SendRequest = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Sends a request to one of the instances. */
export const sendRequest: SendRequest = (url, init) => {
  sent += 1;
  const app = apps[sent % apps.length];
  if (app === undefined) throw new Error("There is no instance.");
  return app.fetch(new Request(url, init), variables, createExecutionContext());
};

/** Sends requests to an instance with other limits. */
export function limitedApp(limits: Partial<typeof variables>): SendRequest {
  const app = compose(registry, {});
  const limited = { ...variables, ...limits };
  return (url, init) => app.fetch(new Request(url, init), limited, createExecutionContext());
}

/** Sends requests to an instance that calls a function before each call of a thread's object, and before each request to it. */
export function watchedApp(before: (name: string) => Promise<void>): SendRequest {
  const calls = (stub: object): object =>
    replaced(stub, "call", (call) => async (...parameters) => {
      await before(String(parameters[0]));
      return call(...parameters);
    });
  const watched = (stub: object): object =>
    replaced(calls(stub), "fetch", (fetch) => async (...parameters) => {
      await before((parameters[0] as Request).url);
      return fetch(...parameters);
    });
  const threads = replaced(
    env.THREADS,
    "get",
    (get) =>
      (...parameters) =>
        watched(get(...parameters) as object),
  );
  return limitedApp({ THREADS: threads } as Partial<typeof variables>);
}

type AnyFunction = (...parameters: unknown[]) => unknown;

/** The object with another method of this name. */
function replaced<T extends object>(target: T, name: string, wrap: (method: AnyFunction) => AnyFunction): T {
  return new Proxy(target, {
    get(_, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      const method: AnyFunction = (...parameters) => Reflect.apply(value, target, parameters);
      return property === name ? wrap(method) : method;
    },
  });
}

/** The headers of a user, or of an administrator. */
export const as = (who: "anna" | "ben" | "cleo" | "admin") => ({ authorization: `Bearer ${who}-secret` });

/** Connects the official client. By default it is Anna's. */
export function connect(options: Partial<McpClientOptions> = {}): Promise<McpClient> {
  // The client's own check of structured content generates code, which a Worker refuses.
  const jsonSchemaValidator = {
    getValidator: () => (input: unknown) => ({ valid: true, data: input as never, errorMessage: undefined }) as const,
  };
  return connectMcp(origin, { fetch: sendRequest, headers: as("anna"), jsonSchemaValidator, ...options });
}

/** Sends one JSON-RPC message without a client. */
export function post(message: unknown, headers: Record<string, string> = as("anna")): Promise<Response> {
  return sendRequest(`${origin}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

/** Sends a request of the HTTP API and returns the response's JSON. */
export async function api<T>(
  method: string,
  path: string,
  json?: object,
  who: "anna" | "ben" | "cleo" = "anna",
): Promise<T> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const headers = { ...as(who), "content-type": "application/json" };
  const response = await sendRequest(`${origin}${path}`, { method, headers, ...body });
  return (await response.json()) as T;
}
