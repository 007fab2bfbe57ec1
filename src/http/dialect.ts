// A dialect: a protocol of another project in which clients can use threads. It is a folder under `src/dialect/` that turns requests
// into calls of a thread and the thread's events into its own. Nothing but the composition imports it.

import type { BuiltInRoute, RouteGroup } from "#contract/built-in-route.ts";

import type { HandlersOf, RouteHandler } from "./route/handler.ts";
import type { Services } from "./services.ts";

/** A dialect as the app serves it. */
export interface Dialect extends RouteGroup {
  /** Makes the handlers of its routes. */
  createHandlers: (services: Services) => Readonly<Record<string, RouteHandler<BuiltInRoute<string>>>>;
}

/** Adds the handlers to a dialect's routes. The compiler checks each handler against its route. */
export function defineDialect<Group extends RouteGroup>(
  group: Group,
  createHandlers: (services: Services) => HandlersOf<Group["routes"]>,
): Dialect {
  // The app validates each request by the route of its handler, so a handler receives what its own type says.
  return { ...group, createHandlers: createHandlers as unknown as Dialect["createHandlers"] };
}
