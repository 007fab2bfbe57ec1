// Connects threads to MCP servers with OAuth as a person does: by the routes of the API, the addresses of an authorization server, and the
// cookies of a browser. Servers and requests are real. Each request goes to another instance of the application.

import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, inject } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { Message } from "#contract/thread-message.ts";
import type { AuthorizationStore } from "#core/ports/authorization-port.ts";
import { remoteAuthorizations } from "#core/rpc/authorization-call.ts";
import { feedName } from "#core/rpc/feed-rpc.ts";
import type { FeedStub } from "#core/rpc/feed-rpc.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import { seal, unseal } from "#lib/sealed-text.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { McpServerDefinition, Registry, TestRequest } from "#spec/index.ts";
import { createD1Catalog } from "#store/catalog/d1-catalog.ts";
import { sealKeys, sealPlace } from "#tools/mcp/oauth/oauth-options.ts";
import { readRecord, writeRecord } from "#tools/mcp/oauth/token-record.ts";
import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";
import { outboundFetch } from "#worker/outbound.ts";
import type { ThreadholdOptions } from "#worker/threadhold-options.ts";

import { registry, scripts } from "../worker/definitions.ts";
import { mcpServers } from "../worker/mcp.ts";
import { onPlace } from "../worker/places.ts";
import { changedVariables } from "../worker/variables.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

export const origin = "https://agents.example";

const users = {
  OPEN_LOOPBACK: "",
  API_TOKENS: "admin-secret,anna-secret=anna,ben-secret=ben",
  LIMIT_ADMISSIONS_PER_MINUTE: "100000",
  LIMIT_CHANGES_PER_MINUTE: "100000",
  LIMIT_INVOCATIONS_PER_MINUTE: "100000",
};

/** Prepares each test of a suite: a catalog exists, and the authorizations, changed variables and faults of earlier tests are removed. */
export function prepareEachTest(): void {
  // As the migrations of a deployment do.
  beforeAll(async () => void (await createD1Catalog(env.CATALOG, { ensureSchema: true }).get(crypto.randomUUID())));
  beforeEach(async () => {
    for (const user of ["anna", "ben"]) await forgetUser(user);
    for (const name of Object.keys(changedVariables)) delete changedVariables[name];
    onPlace(null);
  });
}

/** The events that require an authorization. */
export const required = (events: readonly ThreadEvent[]): ThreadEvent[] =>
  events.filter(({ type }) => type === "authorization_required");

export type Who = "anna" | "ben" | "admin" | null;

/** Sends a request to a new instance of the application. */
export function send(
  path: string,
  {
    who = "anna",
    method = "GET",
    cookie,
    headers = {},
    options = {},
    definitions = registry,
  }: {
    who?: Who;
    method?: string;
    cookie?: string | undefined;
    headers?: Record<string, string>;
    options?: ThreadholdOptions;
    definitions?: Registry;
  } = {},
): Promise<Response> {
  // The application uses either the tokens or the function of the options.
  const { API_TOKENS, ...others } = users;
  const tokens = options.authenticate === undefined ? { API_TOKENS } : {};
  const variables = { ...(env as unknown as Environment), ...others, ...tokens, ...changedVariables };
  const given = new Headers(headers);
  if (who !== null) given.set("authorization", `Bearer ${who}-secret`);
  if (cookie !== undefined) given.set("cookie", cookie);
  const request = new Request(new URL(path, origin), { method, headers: given });
  return compose(definitions, options).fetch(request, variables, createExecutionContext());
}

/** The state of an authorization server, as its control address returns it. */
export interface ServerState {
  requests: string[];
  /** The requests to the paths of a tenant, with the header `authorization` (Basic credentials are decoded) and the body. */
  sent: { path: string; authorization: string; text: string }[];
  reused: number;
  /** Every code, token and secret that it issued. */
  secrets: string[];
  live: { access: string[]; refresh: string[] };
  clients: Record<string, unknown>[];
  paused: number;
}

/** Sets the server of the prefix to a new protected server. Returns functions that read and change the server. */
export function protectedServer(more: Partial<McpServerDefinition> = {}, prefix = "everything") {
  const base = inject("mcpServer");
  const tenant = crypto.randomUUID();
  const root = `${base}/oauth/${tenant}`;
  const definition = { url: `${root}/mcp`, oauth: true, allowedHosts: [new URL(base).host], ...more };
  mcpServers.set(prefix, definition);
  const control = async (change: Record<string, unknown> = {}): Promise<ServerState> => {
    const response = await fetch(`${root}/control`, { method: "POST", body: JSON.stringify(change) });
    return response.json();
  };
  return { tenant, root, issuer: `${root}/as`, definition, control };
}

/** Sets the definition of the prefix. */
export function useDefinition(definition: Omit<McpServerDefinition, "name">, prefix = "everything"): void {
  mcpServers.set(prefix, definition);
}

export const routeOf = (id: string, server = "everything") => `/api/threads/${id}/mcp/${server}/authorization`;

/** The status of the authorization in a thread. */
export async function statusOf(id: string, who: Who = "anna"): Promise<unknown> {
  return (await send(routeOf(id), { who })).json();
}

/** An authorization flow that has begun. */
export interface AuthorizationFlow {
  response: Response;
  url: URL;
  /** The cookie of the browser. */
  cookie: string;
}

/** Begins an authorization flow. */
export async function begin(id: string, options: Parameters<typeof send>[1] = {}): Promise<AuthorizationFlow> {
  const response = await send(routeOf(id), { method: "POST", ...options });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const { authorization_url: address } = await response.clone().json<{ authorization_url: string }>();
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { response, url: new URL(address), cookie };
}

/** The refusal of a route that begins an authorization flow. */
export async function refusal(
  id: string,
  who: Who = "anna",
): Promise<{ status: number; code: string; message: string }> {
  const response = await send(routeOf(id), { method: "POST", who });
  const { error } = await response.json<{ error: { code: string; message: string } }>();
  return { status: response.status, code: error.code, message: error.message };
}

/** Opens the address of the authorization request, as a browser does. Returns the address to which it returns the person. */
export async function agree({ url }: AuthorizationFlow): Promise<URL> {
  const response = await fetch(url, { redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`${response.status}: ${await response.text()}`);
  return new URL(location);
}

/** Opens the address to which the authorization server returned the person. */
export async function returnTo(
  back: URL,
  cookie?: string,
  options: ThreadholdOptions = {},
): Promise<{ status: number; page: string; response: Response }> {
  const response = await send(back.pathname + back.search, { who: null, cookie, options });
  return { status: response.status, page: await response.clone().text(), response };
}

/** Connects a thread's owner to the server. */
export async function connect(id: string, who: Who = "anna"): Promise<{ status: number; page: string }> {
  const flow = await begin(id, { who });
  return returnTo(await agree(flow), flow.cookie);
}

/** Deletes the authorization. */
export async function disconnect(id: string, who: Who = "anna"): Promise<number> {
  return (await send(routeOf(id), { method: "DELETE", who })).status;
}

const page = { limit: 100, order: "asc" as const, include_silent: false };

/** Creates a thread of a user. */
export const threadOf = (user_id: string | null) => newThread("mcp", { user_id });

/** Runs a turn whose model calls `whoami` in its first step, if it is offered. Returns the events, the result, and the request of the step. */
export async function ask(id: string, script?: string) {
  const word = script ?? `oauth-${crypto.randomUUID()}`;
  const received: TestRequest[] = [];
  const before = scripts.get(word);
  scripts.set(word, (request) => {
    received.push(request);
    if (before !== undefined) return before(request);
    const isOffered = request.tools.some(({ name }) => name === "everything__whoami");
    return request.step === 0 && isOffered
      ? { toolCalls: [{ name: "everything__whoami", arguments: {} }] }
      : { text: "done" };
  });
  const events = await converse(id, word);
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  const results = items
    .filter(({ role }) => role === "tool")
    .map((each: Message) => each.result?.result ?? each.result?.error);
  return { events, results, result: results.at(-1), request: received[0], items };
}

/** Every row of the object that stores a user's authorizations, as text. */
export function rowsOfUser(user: string): Promise<string> {
  return runInDurableObject(env.FEEDS.get(env.FEEDS.idFromName(feedName(user))), (_, state) =>
    JSON.stringify([...state.storage.kv.list()]),
  );
}

/** Deletes all authorizations of a user. */
async function forgetUser(user: string): Promise<void> {
  await runInDurableObject(env.FEEDS.get(env.FEEDS.idFromName(feedName(user))), (_, state) => {
    for (const [key] of state.storage.kv.list({ prefix: "authorization" })) state.storage.kv.delete(key);
  });
}

/** The store of a user's authorizations. */
export function storeOfUser(user: string): AuthorizationStore {
  const stub = env.FEEDS.get(env.FEEDS.idFromName(feedName(user))) as unknown as FeedStub;
  return remoteAuthorizations((call) => stub.authorization(call));
}

/** Ends an authorization flow of the user Anna with another store. */
export async function endAuthorizationFlowWith(
  store: AuthorizationStore,
  { flow, back, id }: { flow: AuthorizationFlow; back: URL; id: string },
): Promise<unknown> {
  const transport = { fetch: (...call: Parameters<typeof fetch>) => fetch(...call), clock: systemClock };
  const variables = { ...(env as unknown as Record<string, unknown>), ...changedVariables };
  const { authorization } = await import("#tools/mcp/index.ts");
  const place = await authorization.place(variables, back.searchParams.get("state") ?? "", systemClock.now());
  if (place === null) throw new Error("The state is not valid.");
  const definition = { name: "everything", ...mcpServers.get("everything") };
  return authorization.complete(
    definition,
    {
      fetch: outboundFetch({}, { ...transport, inTurn: createRequestQueue(5) }),
      clock: systemClock,
      log: () => undefined,
      env: variables,
      owner: { user: "anna" },
      userId: "anna",
      threadId: id,
      store,
    },
    {
      place,
      answer: {
        code: back.searchParams.get("code") ?? undefined,
        iss: back.searchParams.get("iss") ?? undefined,
        cookies: flow.cookie,
      },
    },
  );
}

/** Sets the times of a user's stored tokens: seconds from now to the early refresh and to the expiry. */
export async function setTokenTimes(user: string, times: { refresh: number; expiry: number }): Promise<void> {
  const { name, url } = { name: "everything", url: new URL(String(mcpServers.get("everything")?.url)) };
  const variables = { ...(env as unknown as Record<string, unknown>), ...changedVariables };
  const place = sealPlace("tokens", { user }, { name, url });
  const keys = await sealKeys(name, variables);
  const store = storeOfUser(user);
  const row = await store.read(name);
  const record = readRecord(row === null ? null : await unseal(keys, row.text, place));
  if (record === null) throw new Error("There are no tokens.");
  const after = (seconds: number) => systemClock.now() + seconds * 1_000_000;
  const changed = { ...record, refresh_at: after(times.refresh), expires_at: after(times.expiry) };
  await store.replace(name, null, {
    revision: crypto.randomUUID(),
    text: await seal(keys, writeRecord(changed), place),
  });
}

/** Sets the end of the lease of a refresh to one second from now, so that a test need not wait for half a minute. */
export async function endLeaseSoon(user: string, server: string): Promise<void> {
  await runInDurableObject(env.FEEDS.get(env.FEEDS.idFromName(feedName(user))), (_, state) => {
    const key = `authorization/${server}`;
    const row = state.storage.kv.get<{ lease: { holder: string } }>(key);
    if (row === undefined) throw new Error("There is no row.");
    state.storage.kv.put(key, { ...row, lease: { ...row.lease, until: systemClock.now() + 1_000_000 } });
  });
}
