// The contract's route table as types: what a request of a route takes and what it answers. Types only, so that no schema
// enters a client's bundle; a request names its route as `"GET /api/threads/:id"`, which the compiler checks against the table.

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

type Loose<T> = { [F in keyof T]?: T[F] | undefined };

/** What a route's query may say, as values in place of their text; every field may be left out. */
export type RouteQuery<K extends RouteKey> =
  Row<K> extends { query: infer S extends z.ZodType } ? Loose<z.output<S>> : Record<never, never>;

/** What a route's body may be, before its defaults are filled in. */
export type RouteBody<K extends RouteKey> = Row<K> extends { body: infer S extends z.ZodType } ? z.input<S> : undefined;

type Answers<R> = R extends { answers: infer A } ? A[keyof A] : never;

/** What a route answers when it succeeds; `undefined` for one without a body. */
export type RouteAnswer<K extends RouteKey> =
  Answers<Row<K>> extends infer S ? (S extends z.ZodType ? z.output<S> : S extends null ? undefined : never) : never;
