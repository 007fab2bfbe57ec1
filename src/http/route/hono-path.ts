// How Hono sees paths. It compares one spelling for every encoding of a path, and finds the routes of a path for `Allow` and tickets.
// The reserved paths under `/api/~/` have a root of their own, which no route of a project can answer.

import { Hono } from "hono";
import type { Context } from "hono";
import { TrieRouter } from "hono/router/trie-router";

/** The deployment's bindings. The project's controllers receive them. */
export type Bindings = Record<string, unknown>;

/** The app's Hono. */
export type RoutedHono = Hono<{ Bindings: Bindings }>;

/** A request as Hono passes it to a handler. */
export type RoutedContext = Context<{ Bindings: Bindings }>;

/** Takes the place of `/api/~` in the paths that Hono compares. No path of a client contains it: an "@" there is encoded. */
const reservedRoot = "/@built-in";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** An app without routes yet. Hono's other routers do not take every set of patterns that a project may define. */
export function createHono(): RoutedHono {
  return new Hono({ router: new TrieRouter(), getPath: ({ url }) => comparedPath(new URL(url).pathname) });
}

/** The patterns of a built-in route: its path, and its reserved path. */
export function builtInPatterns(path: string): string[] {
  return path.startsWith("/api/") ? [path, path.replace("/api", reservedRoot)] : [path];
}

/** The pattern as Hono writes it. `\x2f` is a slash: a catch-all does not begin with an empty segment, unless it may be empty. */
export function honoPath(pattern: string): string {
  return pattern.replace(/\*(\w+)\?$/, ":$1{.*}?").replace(/\*(\w+)$/, String.raw`:$1{[^\x2f].*}`);
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

/** The methods of the path's routes, for `Allow`; empty if the path has no route. */
export function allowedMethods(hono: RoutedHono, path: string): string[] {
  const found = methods.filter((method) => matchedHandler(hono, method, path) !== undefined);
  if (found.length === 0) return [];
  return [...found, "OPTIONS", ...(found.includes("GET") ? ["HEAD"] : [])].toSorted();
}

/** The handler that answers GET at the path of a URL; undefined if there is none. */
export function handlerAt(hono: RoutedHono, pathname: string): object | undefined {
  return matchedHandler(hono, "GET", comparedPath(pathname));
}

/** Hono lists middleware under the method "ALL"; it is skipped. */
function matchedHandler({ router }: RoutedHono, method: string, path: string): object | undefined {
  return router.match(method, path)[0].find(([[, route]]) => route.method === method)?.[0][0];
}
