// All routes in the order they are tried: the built-in ones, their reserved twins under `/api/~/`, and the project's own.
// A project's route wins over a built-in one of the same method and pattern, and never reaches under `/api/~/`.

import { reservedPath, routeNames, routes } from "#contract/route.ts";
import type { RouteName } from "#contract/route.ts";
import type { RouteEntry } from "#spec/registry.ts";

import { compareSpecificity, matchPattern, parsePattern, splitPath } from "./pattern.ts";
import type { Params, Segment } from "./pattern.ts";

/** What answers a route. `index` is the place in the registry, by which a thread's object knows its endpoint. */
type Target = { kind: "built_in"; name: RouteName } | { kind: "project"; entry: RouteEntry; index: number };

/** What a request leads to. `allowed` lists the path's methods, empty where there is no such path. */
type Resolution = { found: { target: Target; params: Params } | null; allowed: readonly string[] };

/** Finds the route of a request. HEAD is looked up as GET. */
export type RouteTable = (method: string, pathname: string) => Resolution;

interface Row {
  method: string;
  segments: readonly Segment[];
  target: Target;
}

/** Builds the table once. */
export function createRouteTable(project: readonly RouteEntry[]): RouteTable {
  const own = project.map((entry, index): Row => {
    const segments = parsePattern(`/api${entry.pattern}`);
    return { method: entry.method, segments, target: { kind: "project", entry, index } };
  });
  const builtIn = routeNames.flatMap(builtInRows);
  const rows = [...own, ...builtIn].toSorted((left, right) => compareSpecificity(left.segments, right.segments));
  return (method, pathname) => resolve(rows, method === "HEAD" ? "GET" : method, pathname);
}

function builtInRows(name: RouteName): Row[] {
  const { method, path } = routes[name];
  const paths = new Set<string>([path, reservedPath(path)]);
  return [...paths].map((each) => ({ method, segments: parsePattern(each), target: { kind: "built_in", name } }));
}

function resolve(rows: readonly Row[], method: string, pathname: string): Resolution {
  const path = splitPath(pathname);
  if (path === null) return { found: null, allowed: [] };
  const reserved = path[0] === "api" && path[1] === "~";
  const methods = new Set<string>();
  let found: Resolution["found"] = null;
  for (const { method: rowMethod, segments, target } of rows) {
    if (reserved && target.kind === "project") continue;
    const params = matchPattern(segments, path);
    if (params === null) continue;
    methods.add(rowMethod);
    if (rowMethod === method) found ??= { target, params };
  }
  return { found, allowed: allowedMethods(methods) };
}

function allowedMethods(methods: ReadonlySet<string>): string[] {
  if (methods.size === 0) return [];
  const implied = methods.has("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"];
  return [...methods, ...implied].toSorted();
}
