// The contract's route table as types: parameters, query, body and response of each built-in route. Types only, so that no zod
// schema enters a client's bundle. A route is named by its method and path, `"GET /api/threads/:id"`.

import type { z } from "zod";

import type { PathParams, RouteName, routes } from "#contract/route.ts";

type Table = typeof routes;

/** `"<method> <path>"` of a built-in route. */
export type RouteKey = { [N in RouteName]: `${Table[N]["method"]} ${Table[N]["path"]}` }[RouteName];

type Row<K extends RouteKey> = {
  [N in RouteName]: `${Table[N]["method"]} ${Table[N]["path"]}` extends K ? Table[N] : never;
}[RouteName];

/** The dynamic segments of a route's path. */
export type RouteParams<K extends RouteKey> = PathParams<Row<K>["path"]>;

type AllOptional<T> = { [F in keyof T]?: T[F] | undefined };

/** The query of a route as values instead of text. Every field is optional. */
export type RouteQuery<K extends RouteKey> =
  Row<K> extends { query: infer S extends z.ZodType } ? AllOptional<z.output<S>> : Record<never, never>;

/** The body of a route as a client sends it; fields with defaults are optional. */
export type RouteBody<K extends RouteKey> = Row<K> extends { body: infer S extends z.ZodType } ? z.input<S> : undefined;

type Answers<R> = R extends { answers: infer A } ? A[keyof A] : never;

/** The body of a route's successful response; `undefined` for a route without one. */
export type RouteAnswer<K extends RouteKey> =
  Answers<Row<K>> extends infer S ? (S extends z.ZodType ? z.output<S> : S extends null ? undefined : never) : never;
