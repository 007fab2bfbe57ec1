// The types of handlers of built-in routes. Every route has one handler; a missing one does not compile.

import type { BuiltInRoute, RouteInput, RouteName, routes } from "#contract/route.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

/** The values of a path's dynamic segments, decoded. */
export type Params = Readonly<Record<string, string>>;

/** A request of a route, authenticated and validated. */
interface RouteCall<R extends BuiltInRoute<string>> extends RouteInput<R> {
  request: Request;
  url: URL;
  caller: Caller;
  /** Whether the method is HEAD. The response's body will be dropped, so the handler should open nothing for it. */
  headOnly: boolean;
}

/** A request of a route of the table. */
export type Call<N extends RouteName> = RouteCall<(typeof routes)[N]>;

/** Answers one route. Throws a `ThreadholdError` to refuse. */
export type RouteHandler<R extends BuiltInRoute<string>> = (call: RouteCall<R>) => Promise<Response>;

/** The handlers of some routes, by name. */
export type HandlersOf<Routes extends Readonly<Record<string, BuiltInRoute<string>>>> = {
  [N in keyof Routes]: RouteHandler<Routes[N]>;
};

/** The handlers of every route of the table. */
export type Handlers = HandlersOf<typeof routes>;
