// A dialect: another project's protocol for the same threads. Its folder is `src/dialect/<name>/`. It converts requests to calls of a
// thread, and the thread's events to its own. Only the code that composes the application imports it.

import type { BuiltInRoute, RouteGroup } from "#contract/built-in-route.ts";
import { unreachable } from "#lib/unreachable.ts";

import type { HandlersOf, RouteHandler } from "./route/handler.ts";
import type { Services } from "./services.ts";

/** The routes of a dialect, and the function that makes their handlers. */
export interface Dialect extends RouteGroup {
  /** Makes the handlers of its routes. */
  createHandlers: (services: Services) => Readonly<Record<string, RouteHandler<BuiltInRoute<string>>>>;
}

/** The functions that make the handlers of some route groups, by the groups' names. */
export type HandlerFactories<Groups extends Readonly<Record<string, RouteGroup>>> = {
  [Name in keyof Groups]: (services: Services) => HandlersOf<Groups[Name]["routes"]>;
};

/** Adds the handlers to the routes of dialects. The compiler checks that every route has a handler of its own type. */
export function defineDialects<Groups extends Readonly<Record<string, RouteGroup>>>(
  groups: Groups,
  factories: HandlerFactories<Groups>,
): Dialect[] {
  // The application validates a request by the route before it calls the handler of that route, so the handler's type is correct.
  const created = factories as unknown as Readonly<Record<string, Dialect["createHandlers"]>>;
  return Object.entries(groups).map(([name, group]) => {
    const createHandlers = created[name];
    if (createHandlers === undefined) unreachable(`The dialect "${name}" has no handlers.`);
    return { ...group, createHandlers };
  });
}
