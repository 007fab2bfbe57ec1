// What a dialect is: another project's protocol over the same threads. It lives in one folder, `src/dialect/<name>/`, turns requests
// into calls of a thread and the thread's events into its own. Nothing but the composition imports it.

import type { BuiltInRoute, RouteGroup } from "#contract/built-in-route.ts";

import type { HandlersOf, RouteHandler } from "./route/handler.ts";
import type { Services } from "./services.ts";

/** A dialect as the app serves it. */
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
  // The app validates each request by the route of its handler, so a handler receives what its own type says.
  const created = factories as unknown as Readonly<Record<string, Dialect["createHandlers"]>>;
  return Object.entries(groups).map(([name, group]) => {
    const createHandlers = created[name];
    if (createHandlers === undefined) throw new Error(`The dialect "${name}" has no handlers.`);
    return { ...group, createHandlers };
  });
}
