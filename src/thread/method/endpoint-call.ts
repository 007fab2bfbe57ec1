// Calls a thread endpoint that the project defines, with the thread's state (Standard Agents, defineThreadEndpoint). It runs in the
// thread's object, because the state belongs to the loaded thread.

import { refuse } from "#contract/error.ts";
import { callerHeader, endpointPath, urlHeader } from "#core/rpc/thread-rpc.ts";
import { threadEndpointHandler } from "#spec/index.ts";

import { definitionAccess } from "../run/definition-access.ts";
import type { DefinitionContext } from "../run/definition-access.ts";

/** Finds the handler by its index in the registry and calls it. */
export async function callEndpoint(context: DefinitionContext, incoming: Request, url: URL): Promise<Response> {
  const index = Number(url.pathname.slice(endpointPath.length));
  const route = context.deployment.registry.routes[index];
  const handler = route === undefined ? undefined : threadEndpointHandler(await route.load());
  if (handler === undefined) throw refuse("route_not_found", "The thread has no such endpoint.");
  const headers = new Headers(incoming.headers);
  const outside = headers.get(urlHeader) ?? incoming.url;
  headers.delete(callerHeader);
  headers.delete(urlHeader);
  const request = new Request(outside, new Request(incoming, { headers }));
  const { state } = definitionAccess(context);
  return handler(request, state);
}
