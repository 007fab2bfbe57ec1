// Every route that a deployment serves: the built-in routes and those of the dialects.

import type { BuiltInRoute, RouteGroup } from "#contract/built-in-route.ts";
import { routes } from "#contract/route.ts";
import { aiSdkGroup } from "#dialect/ai-sdk/routes.ts";
import { mcpGroup } from "#dialect/mcp/routes.ts";
import { sessionGroup } from "#dialect/session/routes.ts";

export const dialectGroups: readonly RouteGroup[] = [sessionGroup, aiSdkGroup, mcpGroup];

export const allRoutes: Readonly<Record<string, BuiltInRoute<string>>> = Object.assign(
  {},
  routes,
  ...dialectGroups.map((group) => group.routes),
);

export const allRouteNames = Object.keys(allRoutes);
