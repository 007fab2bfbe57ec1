// Serves the project's own routes. A controller runs in the Worker. A thread endpoint runs in the thread's object, which checks the
// owner before it calls the handler.

import { refuse } from "#contract/error.ts";
import { callerHeader, endpointPath, urlHeader } from "#core/rpc/thread-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { threadUuidText } from "#lib/uuid-text.ts";
import type { ControllerContext, ControllerUser, VirtualModuleRegistry } from "#spec/endpoint.ts";
import type { RouteEntry, HookEntry, Registry } from "#spec/registry.ts";

import { withoutPassCookie } from "../auth/pass-cookie.ts";
import type { Params } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { withStub } from "../thread/call-thread.ts";

/** A request for a project's route. */
export interface ProjectCall {
  request: Request;
  url: URL;
  params: Params;
  env: Record<string, unknown>;
  entry: RouteEntry;
  /** Index of the entry in the registry. */
  index: number;
}

/** Returns the response. Throws to refuse the request. */
export async function serveProjectRoute(services: Services, call: ProjectCall): Promise<Response> {
  const caller = await callerOf(services, call);
  if (call.entry.kind === "thread") return serveThreadEndpoint(services, call, caller);
  const { registry, version } = services.dependencies;
  const controller = await call.entry.load();
  return controllerAnswer(await controller(controllerContext({ ...call, caller }, registry, version)));
}

async function callerOf({ authenticator }: Services, { request, entry }: ProjectCall): Promise<Caller | null> {
  const access = entry.access ?? "user";
  if (access === "public") return authenticator.identify(request);
  const caller = await authenticator.authenticate(request);
  if (access === "admin" && !caller.admin) throw refuse("forbidden", "This route is for administrators.");
  return caller;
}

/** The caller of public thread endpoints. It has every right, because such an endpoint is open to everyone by definition. */
const everyone: Caller = Object.freeze({ user: null, admin: true });

async function serveThreadEndpoint(services: Services, call: ProjectCall, caller: Caller | null): Promise<Response> {
  const { entry, params, request } = call;
  const threadId = threadUuidText(params[entry.params[0] ?? ""] ?? "");
  if (threadId === null) throw refuse("thread_not_found", "There is no such thread.");
  const acting = entry.access === "public" ? everyone : caller;
  if (acting === null) throw refuse("unauthorized", "Send credentials.");
  return withStub(services.dependencies.threads, {
    threadId,
    repeatable: request.method === "GET" || request.method === "HEAD",
    run: (stub) => stub.fetch(endpointRequest(call, acting)),
  });
}

/**
 * Builds the request for the object: the client's request with the caller in an internal header. A public endpoint checks its callers
 * itself, so it receives their credentials, except this server's cookie. Other endpoints receive no credentials, because the
 * caller is authenticated here.
 */
function endpointRequest({ request, index, entry }: ProjectCall, caller: Caller): Request {
  const headers = new Headers(request.headers);
  const internal = [...headers.keys()].filter((name) => name.startsWith("x-threadhold-"));
  for (const name of internal) headers.delete(name);
  const cookies = entry.access === "public" ? withoutPassCookie(headers.get("cookie") ?? "") : null;
  headers.delete("cookie");
  if (cookies !== null) headers.set("cookie", cookies);
  if (entry.access !== "public") headers.delete("authorization");
  headers.set(callerHeader, JSON.stringify(caller));
  headers.set(urlHeader, request.url);
  const method = request.method === "HEAD" ? "GET" : request.method;
  // Redirects are passed to the client. If they were followed here, they would be requested from the object.
  const { body } = request;
  return new Request(`https://thread${endpointPath}${String(index)}`, { method, headers, body, redirect: "manual" });
}

/**
 * Converts a controller's return value to a response (Standard Agents, endpoints): a Response unchanged, text, a stream, nothing (204),
 * and every other value as JSON. Throws if the value cannot be converted to JSON.
 */
function controllerAnswer(value: unknown): Response {
  if (value instanceof Response) return value;
  if (value === null || value === undefined) return new Response(null, { status: 204 });
  if (typeof value === "string") return typed(value, "text/plain; charset=utf-8");
  if (value instanceof ReadableStream) return typed(value, "application/octet-stream");
  return typed(JSON.stringify(value), "application/json; charset=utf-8");
}

function typed(body: BodyInit, type: string): Response {
  return new Response(body, { headers: { "content-type": type } });
}

/** A request for a controller, with its context. */
interface ControllerCall {
  request: Request;
  url: URL;
  params: Params;
  env: Record<string, unknown>;
  /** Null on a public route without valid credentials. */
  caller: Caller | null;
}

/** The context that a controller receives (Standard Agents, endpoints). A HEAD request is passed to it as GET. */
function controllerContext(call: ControllerCall, registry: Registry, version: string): ControllerContext {
  const { request, url, params, env, caller } = call;
  const { agents, prompts, models, tools, hooks } = registry;
  return {
    req: request.method === "HEAD" ? new Request(request, { method: "GET" }) : request,
    params: { ...params },
    url,
    env,
    agents: { ...agents },
    agentNames: Object.keys(agents),
    prompts: { ...prompts },
    promptNames: Object.keys(prompts),
    models: { ...models },
    modelNames: Object.keys(models),
    tools: { ...tools },
    hooks: hooksByFile(hooks),
    config: { version, hash: registry.hash },
    ...(caller === null ? {} : { user: userOf(caller) }),
  };
}

function userOf({ user, admin }: Caller): ControllerUser {
  return { id: user, role: admin ? "admin" : "user" };
}

/** The hooks by file name, because several files may implement the same hook. */
function hooksByFile(hooks: readonly HookEntry[]): VirtualModuleRegistry<unknown> {
  return Object.fromEntries(
    hooks.map(({ file, load }) => [file.slice(file.lastIndexOf("/") + 1).replace(/\.\w+$/, ""), load]),
  );
}
