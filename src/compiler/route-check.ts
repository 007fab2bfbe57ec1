// Checks that no two routes answer the same paths, and warns where one takes a built-in route's place.

import { isBuiltInRoute } from "./built-in-route.ts";
import type { Findings } from "./findings.ts";
import type { Project } from "./project.ts";
import { patternShape } from "./route-pattern.ts";

/** Checks all routes. */
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
    if (isBuiltInRoute(method, pattern)) {
      findings.warning({
        code: "route_shadows_built_in",
        file,
        message: `takes the place of the built-in route ${method} /api${pattern}, which stays at /api/~${pattern}`,
      });
    }
  }
}
