// Reads the route of a file in `agents/api/` from its path, and orders routes for matching.

import { closestWord } from "#lib/edit-distance.ts";
import { compareRoutePatterns } from "#lib/route-order.ts";
import type { RouteMethod } from "#spec/registry.ts";

/** A route, or the reason why the file name does not name one. */
export type RouteName =
  | { type: "route"; method: RouteMethod; pattern: string; params: string[]; doubt?: string }
  | { type: "bad"; message: string; suggestion?: string };

const methods: Record<string, RouteMethod> = { get: "GET", post: "POST", put: "PUT", patch: "PATCH", delete: "DELETE" };
const ownAnswers = new Set(["head", "options"]);
const plainSegment = /^[A-Za-z0-9_.~-]+$/;
const dynamicSegment = /^\[([A-Za-z_]\w*)\]$/;
const restSegment = /^\[\.\.\.([A-Za-z_]\w*)\]$/;

/** Reads a file's stem: `threads/[id]/status.get` is `GET /threads/:id/status`. */
export function readRouteName(stem: string): RouteName {
  const dot = stem.lastIndexOf(".");
  const suffix = dot > stem.lastIndexOf("/") && !stem.endsWith("]") ? stem.slice(dot + 1) : "";
  if (ownAnswers.has(suffix)) {
    return { type: "bad", message: `${suffix.toUpperCase()} is answered for every route and cannot have a file` };
  }
  const method = methods[suffix];
  const segments = (method ? stem.slice(0, dot) : stem).split("/");
  if (segments.at(-1) === "index") segments.pop();
  const params: string[] = [];
  const parts: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const [, param] = dynamicSegment.exec(segment) ?? [];
    const [, rest] = restSegment.exec(segment) ?? [];
    const name = param ?? rest;
    if (name === undefined && !plainSegment.test(segment)) {
      return { type: "bad", message: `"${segment}" is no route segment; write name, [param] or [...rest]` };
    }
    if (name !== undefined && params.includes(name)) {
      return { type: "bad", message: `two segments are called "${name}"` };
    }
    if (rest !== undefined && index < segments.length - 1) {
      return { type: "bad", message: `"${segment}" takes all that follows, so it must stand last` };
    }
    if (name !== undefined) params.push(name);
    parts.push(rest === undefined ? (param === undefined ? segment : `:${param}`) : `*${rest}`);
  }
  const doubt = method || suffix === "" ? undefined : closestWord(suffix, Object.keys(methods));
  const pattern = `/${parts.join("/")}`;
  return { type: "route", method: method ?? "GET", pattern, params, ...(doubt === undefined ? {} : { doubt }) };
}

/** The pattern without the names of its parameters. Two routes with equal shapes match the same paths. */
export function patternShape(pattern: string): string {
  return pattern.replaceAll(/([:*])\w+/g, "$1");
}

/** Static before dynamic before catch-all, segment by segment; then by pattern and method. */
export function compareRoutes(
  one: { pattern: string; method: string },
  other: { pattern: string; method: string },
): number {
  const difference = compareRoutePatterns(one.pattern, other.pattern);
  if (difference !== 0) return difference;
  const [first, second] = [`${one.pattern} ${one.method}`, `${other.pattern} ${other.method}`];
  return first === second ? 0 : first < second ? -1 : 1;
}
