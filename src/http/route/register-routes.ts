// Registers all routes with Hono in the order in which they are tried: static before dynamic before catch-all, and the project's
// route before a built-in one of the same pattern. Each built-in route has a second path under `/api/~/`, which no route of the
// project can answer.

import { Hono } from "hono";
import type { Context } from "hono";
import { TrieRouter } from "hono/router/trie-router";

import { routeNames, routes } from "#contract/route.ts";
import type { BuiltInRoute, RouteName } from "#contract/route.ts";
import { compareRoutePatterns } from "#lib/route-order.ts";
import type { RouteEntry } from "#spec/registry.ts";

import { serveProjectRoute } from "../project/serve-project-route.ts";
import type { Services } from "../services.ts";
import type { Handlers, Params, RouteHandler } from "./handler.ts";
import { serveBuiltIn } from "./serve-built-in.ts";

/** The deployment's bindings. The project's controllers receive them. */
export type Bindings = Record<string, unknown>;

/** The app's Hono. */
export type RoutedHono = Hono<{ Bindings: Bindings }>;
type RoutedContext = Context<{ Bindings: Bindings }>;

/** A request that was checked, with the values of its route's dynamic segments, decoded. */
interface Matched {
  request: Request;
  url: URL;
  params: Params;
  env: Bindings;
}

interface Row {
  method: string;
  pattern: string;
  /** Of a built-in route. */
  name?: RouteName;
  serve: (matched: Matched) => Promise<Response>;
}

type AnyRoute = BuiltInRoute<string>;
type AnyHandler = RouteHandler<AnyRoute>;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Names of built-in routes by the handlers that Hono calls for them. */
const names = new WeakMap<object, RouteName>();

/** Takes the place of `/api/~` in the paths that Hono compares. No path of a client contains it: an "@" there is encoded. */
const reservedRoot = "/@built-in";

/** An app without routes yet. Hono's other routers do not take every set of patterns that a project may define. */
export function createHono(): RoutedHono {
  return new Hono({ router: new TrieRouter(), getPath: ({ url }) => comparedPath(new URL(url).pathname) });
}

/** Registers them. */
export function registerRoutes(hono: RoutedHono, services: Services, handlers: Handlers): void {
  const { registry, dialects } = services.dependencies;
  const project = registry.routes.map((entry, index) => projectRow(services, entry, index));
  const builtIn = routeNames.flatMap((name): Row[] =>
    // A handler takes what its own row describes; the compiler cannot follow that through a name it does not know.
    builtInRows(services, routes[name], handlers[name] as unknown as AnyHandler).map((row) => ({ ...row, name })),
  );
  const foreign = dialects.flatMap((dialect) => {
    const handlersOfDialect = dialect.createHandlers(services);
    return Object.entries(dialect.routes).flatMap(([name, route]) =>
      builtInRows(services, route, handlersOfDialect[name]),
    );
  });
  const rows = [...project, ...builtIn, ...foreign].toSorted((left, right) =>
    compareRoutePatterns(left.pattern, right.pattern),
  );
  for (const { method, pattern, name, serve } of rows) {
    const absent = /\*(\w+)\?$/.exec(pattern)?.[1];
    const empty = absent === undefined ? {} : { [absent]: "" };
    const handler = (context: RoutedContext): Promise<Response> =>
      screened(context, services, (request) => {
        const params = { ...empty, ...context.req.param() };
        return serve({ request, url: new URL(request.url), params, env: context.env });
      });
    if (name !== undefined) names.set(handler, name);
    hono.on(method, honoPath(pattern), handler);
  }
}

/** The rows of a built-in route under its path and under its reserved path. */
function builtInRows(services: Services, route: AnyRoute, handler: AnyHandler | undefined): Row[] {
  if (handler === undefined) throw new Error(`The route ${route.path} has no handler.`);
  const serve: Row["serve"] = (matched) => serveBuiltIn(services, { route, handler }, matched);
  const { method, path } = route;
  const row = { method, pattern: path, serve };
  return path.startsWith("/api/") ? [row, { ...row, pattern: path.replace("/api", reservedRoot) }] : [row];
}

function projectRow(services: Services, entry: RouteEntry, index: number): Row {
  const serve: Row["serve"] = (matched) => serveProjectRoute(services, { ...matched, entry, index });
  return { method: entry.method, pattern: `/api${entry.pattern}`.replace(/\/$/, ""), serve };
}

/** Answers a request if the open loopback mode accepts it. */
export async function screened(
  { req }: RoutedContext,
  { authenticator }: Services,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  const request = authenticator.screen(req.raw);
  return request instanceof Response ? request : withoutBody(request, await answer(request));
}

/** The response to HEAD is the one to GET, with its body cancelled. */
export async function withoutBody(request: Request, response: Response): Promise<Response> {
  if (request.method !== "HEAD" || response.body === null) return response;
  await response.body.cancel();
  return new Response(null, response);
}

/** The methods of the path's routes, for `Allow`; empty where the path has no route. */
export function allowedMethods(hono: RoutedHono, path: string): string[] {
  const found = methods.filter((method) => matchedHandler(hono, method, path) !== undefined);
  if (found.length === 0) return [];
  return [...found, "OPTIONS", ...(found.includes("GET") ? ["HEAD"] : [])].toSorted();
}

/** The name of the built-in route that answers GET at a path; undefined if none does. */
export function builtInRouteAt(hono: RoutedHono, pathname: string): RouteName | undefined {
  const handler = matchedHandler(hono, "GET", comparedPath(pathname));
  return handler && names.get(handler);
}

/** Middleware stands under the method "ALL" and is skipped. */
function matchedHandler({ router }: RoutedHono, method: string, path: string): object | undefined {
  return router.match(method, path)[0].find(([[, route]]) => route.method === method)?.[0][0];
}

/**
 * The path that Hono compares: one spelling for every encoding of a path, so `/api/th%72eads` is `/api/threads`, and an encoded
 * slash stays within its segment. A path that cannot be decoded becomes one that no route has.
 */
function comparedPath(pathname: string): string {
  const segments = pathname.replace(/^(\/[^/]+)\/$/, "$1").split("/");
  try {
    const path = segments.map((segment) => encodeSegment(decodeURIComponent(segment))).join("/");
    return path.replace(/^\/api\/~(?=\/|$)/, reservedRoot);
  } catch {
    return "/%";
  }
}

/** Hono's router reads an asterisk as a wildcard, and `encodeURIComponent` leaves it as it is. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll("*", "%2A");
}

/** The pattern as Hono writes it. `\x2f` is a slash: a catch-all does not begin with an empty segment, unless it may be empty. */
function honoPath(pattern: string): string {
  return pattern.replace(/\*(\w+)\?$/, ":$1{.*}?").replace(/\*(\w+)$/, String.raw`:$1{[^\x2f].*}`);
}
