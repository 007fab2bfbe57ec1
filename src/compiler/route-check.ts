// Checks that no two routes match the same paths, and warns about a route that replaces a built-in one.

import { routes } from "#contract/route.ts";
import type { BuiltInRoute } from "#contract/route.ts";
import { routeGroups } from "#dialect/route-groups.ts";

import type { Findings } from "./findings.ts";
import type { Project } from "./project.ts";
import { patternShape } from "./route-pattern.ts";

type AnyRoute = BuiltInRoute<string>;

/** Method and shape of every built-in route below `/api`, those of the dialects included. */
const builtInShapes = new Set(
  [routes, ...Object.values(routeGroups).map((group) => group.routes)]
    .flatMap((table): readonly AnyRoute[] => Object.values<AnyRoute>(table))
    .flatMap(({ method, path }) => belowApi(path).map((pattern) => `${method} ${patternShape(pattern)}`)),
);

/** Returns the patterns with which files of a project would serve the same paths; none for a path outside of `/api`. */
function belowApi(path: string): string[] {
  if (!path.startsWith("/api/")) return [];
  const pattern = path.slice("/api".length);
  // The last segment may be empty, so the route also answers the path without it.
  return pattern.endsWith("?") ? [pattern.slice(0, -1), pattern.replace(/\/[^/]*$/, "")] : [pattern];
}

export function checkRoutes(project: Project, findings: Findings): void {
  const first = new Map<string, string>();
  for (const { method, pattern, file } of project.routes) {
    const shape = `${method} ${patternShape(pattern)}`;
    const earlier = first.get(shape);
    if (earlier !== undefined) {
      findings.error({
        code: "route_conflict",
        file,
        message: `${method} ${pattern} is answered by two files`,
        notes: [`the first is ${earlier}`],
      });
      continue;
    }
    first.set(shape, file);
    if (builtInShapes.has(shape)) {
      findings.warning({
        code: "route_shadows_built_in",
        file,
        message: `takes the place of the built-in route ${method} /api${pattern}, which stays at /api/~${pattern}`,
      });
    }
  }
}
