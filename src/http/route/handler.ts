// What a built-in route's handler gets and gives. One handler for every route of the table; the compiler counts them.

import type { RouteInput, RouteName } from "#contract/route.ts";
import type { Caller } from "#core/thread-rpc.ts";

/** The values of a path's dynamic segments, decoded. */
export type Params = Readonly<Record<string, string>>;

/** A request of a route, authenticated and validated. */
export interface Call<N extends RouteName> extends RouteInput<N> {
  request: Request;
  url: URL;
  caller: Caller;
  /** HEAD: the answer's body will be thrown away, so open nothing for it. */
  headOnly: boolean;
}

/** Answers one route. Throws a `ThreadholdError` to refuse. */
export type Handler<N extends RouteName> = (call: Call<N>) => Promise<Response>;

/** The handlers of every route. */
export type Handlers = { [N in RouteName]: Handler<N> };
