// Serves the project's own routes. A controller runs in the Worker. A thread endpoint runs in the thread's object, which checks the
// owner before it calls the handler.

import { refuse } from "#contract/error.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { callerHeader, endpointPath, urlHeader } from "#core/thread-rpc.ts";
import { threadUuidText } from "#lib/uuid-text.ts";
import type { RouteEntry } from "#spec/registry.ts";

import { withoutPassCookie } from "../auth/pass-cookie.ts";
import type { Params } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { withStub } from "../thread/call-thread.ts";
import { controllerAnswer } from "./controller-answer.ts";
import { controllerContext } from "./controller-context.ts";

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
