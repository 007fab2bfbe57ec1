// The table of all built-in routes: method, path, access, schemas of requests and responses. Requests are validated by this table; the
// OpenAPI document, the client's types and the build's warnings follow from it. The rows of a topic are in its `*-route.ts`.

import type { z } from "zod";

import { authorizationRoutes } from "./authorization-route.ts";
import { branchRoutes } from "./branch-route.ts";
import type { BuiltInRoute } from "./built-in-route.ts";
import { catalogRoutes } from "./catalog-route.ts";
import { contextRoutes } from "./context-route.ts";
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

/** Maximal bytes of a body, unless the route has its own limit. */
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
  ...branchRoutes,
  ...logRoutes,
  ...searchRoutes,
  ...queueRoutes,
  ...contextRoutes,
  ...exportRoutes,
  ...fileRoutes,
  ...catalogRoutes,
  ...usageRoutes,
  ...toolRoutes,
  ...authorizationRoutes,
  ...feedRoutes,
  ...streamRoutes,
} as const satisfies Record<string, BuiltInRoute>;

/** Name of a built-in route. */
export type RouteName = keyof typeof routes;

/** Every name. */
export const routeNames = Object.keys(routes) as RouteName[];

type Segments<P extends string> = P extends `${infer Head}/${infer Tail}` ? Head | Segments<Tail> : P;

/** The dynamic segments of a path: `{id: string}` for `/api/threads/:id`. A catch-all segment may be empty. */
export type PathParams<P extends string> = Record<
  Segments<P> extends infer S ? (S extends `:${infer N}` | `*${infer N}?` ? N : never) : never,
  string
>;

type Parsed<R, K extends "query" | "body"> = R extends Record<K, infer S extends z.ZodType> ? z.output<S> : undefined;

/** The validated input of a request; `undefined` for the parts that the route does not accept. */
export interface RouteInput<R extends BuiltInRoute<string>> {
  params: PathParams<R["path"]>;
  query: Parsed<R, "query">;
  body: Parsed<R, "body">;
}

/** The reserved path of a route, which no project's route can have: `/api/~/threads` for `/api/threads`. */
export function reservedPath(path: string): string {
  return path.replace(/^\/api\//, "/api/~/");
}
