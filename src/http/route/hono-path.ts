// Converts paths and patterns to the form that Hono compares: all encodings of a path have the same form. Also finds the routes of a path,
// for the `Allow` header and for tickets. The reserved paths under `/api/~/` get a root of their own, which no route of a project can have.

import { Hono } from "hono";
import type { Context } from "hono";
import { TrieRouter } from "hono/router/trie-router";

/** The deployment's bindings. The project's controllers receive them. */
export type Bindings = Record<string, unknown>;

/** A Hono application with these bindings. */
export type RoutedHono = Hono<{ Bindings: Bindings }>;

/** A request as Hono passes it to a handler. */
export type RoutedContext = Context<{ Bindings: Bindings }>;

/** Replaces `/api/~` in the paths that Hono compares. A client's path cannot contain it, because an "@" in it would be encoded. */
const reservedRoot = "/@built-in";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Creates an application without routes. Hono's other routers refuse some combinations of patterns that a project may define. */
export function createHono(): RoutedHono {
  return new Hono({ router: new TrieRouter(), getPath: ({ url }) => comparedPath(new URL(url).pathname) });
}

/** The patterns of a built-in route: its path, and its reserved path. */
export function builtInPatterns(path: string): string[] {
  return path.startsWith("/api/") ? [path, path.replace("/api", reservedRoot)] : [path];
}

/**
 * Converts a pattern to Hono's notation. A catch-all that may not be empty (`*name`) does not match a text that begins with a slash
 * (`\x2f`).
 */
export function honoPath(pattern: string): string {
  return pattern.replace(/\*(\w+)\?$/, ":$1{.*}?").replace(/\*(\w+)$/, String.raw`:$1{[^\x2f].*}`);
}

/**
 * Converts a path to the form that Hono compares. All encodings of a path get the same form: `/api/th%72eads` becomes `/api/threads`. An
 * encoded slash stays within its segment. A path that cannot be decoded becomes one that no route has.
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

/** Also encodes asterisks, which `encodeURIComponent` does not encode and which Hono's router reads as wildcards. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll("*", "%2A");
}

/** The methods of the path's routes, for `Allow`; empty if the path has no route. */
export function allowedMethods(hono: RoutedHono, path: string): string[] {
  const found = methods.filter((method) => matchedHandler(hono, method, path) !== undefined);
  if (found.length === 0) return [];
  return [...found, "OPTIONS", ...(found.includes("GET") ? ["HEAD"] : [])].toSorted();
}

/** The handler for GET at the path of a URL; undefined if there is none. */
export function handlerAt(hono: RoutedHono, pathname: string): object | undefined {
  return matchedHandler(hono, "GET", comparedPath(pathname));
}

/** The handler for this method, without middleware, which Hono lists under the method "ALL". */
function matchedHandler({ router }: RoutedHono, method: string, path: string): object | undefined {
  return router.match(method, path)[0].find(([[, route]]) => route.method === method)?.[0][0];
}
