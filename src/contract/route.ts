// The table of all built-in routes: method, path, access, schemas of requests and responses. Requests are validated by this table; the
// OpenAPI document, the client's types and the build's warnings follow from it. The rows of a topic are in its `*-route.ts`.

import type { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { catalogRoutes } from "./catalog-route.ts";
import { definitionRoutes } from "./definition-route.ts";
import { exportRoutes } from "./export-route.ts";
import { feedRoutes } from "./feed-route.ts";
import { fileRoutes } from "./file-route.ts";
import { logRoutes } from "./log-route.ts";
import { messageRoutes } from "./message-route.ts";
import { queueRoutes } from "./queue-route.ts";
import { runRoutes } from "./run-route.ts";
import { searchRoutes } from "./search-route.ts";
import { serviceRoutes } from "./service-route.ts";
import { streamRoutes } from "./stream-route.ts";
import { threadRoutes } from "./thread-route.ts";
import { toolRoutes } from "./tool-route.ts";
import { usageRoutes } from "./usage-route.ts";

export type { BuiltInRoute } from "./built-in-route.ts";

const kib = 1024;
const mib = 1024 * kib;

/** Bytes of a body where a route says nothing else. */
export const defaultBodyLimit = 256 * kib;

/** UTF-8 bytes of one message's text. */
export const messageTextLimit = mib;

/** UTF-8 bytes of a thread's or a message's metadata as JSON. */
export const metadataLimit = 64 * kib;

/** Bytes of the inline images and files of one message together, decoded. */
export const inlineBytesLimit = 4 * mib;

/** Every built-in route by name. */
export const routes = {
  ...serviceRoutes,
  ...definitionRoutes,
  ...threadRoutes,
  ...messageRoutes,
  ...runRoutes,
  ...logRoutes,
  ...searchRoutes,
  ...queueRoutes,
  ...exportRoutes,
  ...fileRoutes,
  ...catalogRoutes,
  ...usageRoutes,
  ...toolRoutes,
  ...feedRoutes,
  ...streamRoutes,
} as const satisfies Record<string, BuiltInRoute>;

/** Name of a built-in route. */
export type RouteName = keyof typeof routes;

/** Names, for tables. */
export const routeNames = Object.keys(routes) as RouteName[];

type Segments<P extends string> = P extends `${infer Head}/${infer Tail}` ? Head | Segments<Tail> : P;

/** The dynamic segments of a path: `{id: string}` for `/api/threads/:id`. The rest of a path may be empty. */
export type PathParams<P extends string> = Record<
  Segments<P> extends infer S ? (S extends `:${infer N}` | `*${infer N}?` ? N : never) : never,
  string
>;

type Parsed<R, K extends "query" | "body"> = R extends Record<K, infer S extends z.ZodType> ? z.output<S> : undefined;

/** What comes with a request of a route once it was validated; `undefined` where the route takes none. */
export interface RouteInput<R extends BuiltInRoute<string>> {
  params: PathParams<R["path"]>;
  query: Parsed<R, "query">;
  body: Parsed<R, "body">;
}

/** The path under which a definition cannot stand: `/api/threads` is `/api/~/threads`. */
export function reservedPath(path: string): string {
  return path.replace(/^\/api\//, "/api/~/");
}
