// The built-in routes, once: method, path, access, what comes in and what goes out. Requests are validated by this table,
// the OpenAPI document is written from it, and a client can be typed by it; a route that is not here does not exist.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { catalogRoutes } from "./catalog-route.ts";
import {
  agentViewSchema,
  hookViewSchema,
  modelViewSchema,
  promptViewSchema,
  routeViewSchema,
  toolViewSchema,
} from "./definition.ts";
import { exportRoutes } from "./export-route.ts";
import { feedRoutes } from "./feed-route.ts";
import { fileRoutes } from "./file-route.ts";
import { callerRoutes, healthSchema } from "./health.ts";
import { jsonObjectSchema } from "./json.ts";
import { logSchema } from "./log.ts";
import { messageSchema } from "./message.ts";
import { listSchema } from "./page.ts";
import { queueRoutes } from "./queue-route.ts";
import {
  createThreadSchema,
  listLogsSchema,
  listMessagesSchema,
  listRunsSchema,
  listThreadsSchema,
  patchMessageSchema,
  patchThreadSchema,
  postMessageSchema,
  postRunSchema,
  stopSchema,
  subscribeSchema,
  ticketSchema,
  waitSchema,
} from "./request.ts";
import { runSchema } from "./run.ts";
import { searchRoutes } from "./search-route.ts";
import { threadSchema, threadStatusSchema } from "./thread.ts";
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

/** What `POST` of a message answers. `run` is null when the message starts none. */
export const admittedMessageSchema = z.object({ message: messageSchema.nullable(), run: runSchema.nullable() });

/** What `POST` of a run answers. */
export const admittedRunSchema = z.object({ run: runSchema.nullable() });

/** Answer of `POST /api/tickets`. */
export const ticketAnswerSchema = z.object({ ticket: z.string(), expires_at: z.number().int() });

const messagePageSchema = z.object({
  messages: z.array(messageSchema),
  total: z.number().int().nonnegative().nullable(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

/** Every built-in route by name. */
export const routes = {
  ...callerRoutes,
  health: {
    method: "GET",
    path: "/healthz",
    summary: "Whether the service answers, its version, and what the last build found",
    tag: "service",
    access: "public",
    answers: { 200: healthSchema },
  },
  openApi: {
    method: "GET",
    path: "/api/openapi.json",
    summary: "This document",
    tag: "service",
    access: "user",
    answers: { 200: jsonObjectSchema },
  },
  createTicket: {
    method: "POST",
    path: "/api/tickets",
    summary: "A single-use ticket to open one stream without a header",
    tag: "service",
    access: "user",
    body: ticketSchema,
    answers: { 200: ticketAnswerSchema },
  },
  listAgents: {
    method: "GET",
    path: "/api/agents",
    summary: "The agents",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("agents", agentViewSchema) },
  },
  getAgent: {
    method: "GET",
    path: "/api/agents/:name",
    summary: "One agent",
    tag: "definitions",
    access: "user",
    answers: { 200: agentViewSchema },
  },
  listPrompts: {
    method: "GET",
    path: "/api/prompts",
    summary: "The prompts",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("prompts", promptViewSchema) },
  },
  getPrompt: {
    method: "GET",
    path: "/api/prompts/:name",
    summary: "One prompt",
    tag: "definitions",
    access: "user",
    answers: { 200: promptViewSchema },
  },
  listModels: {
    method: "GET",
    path: "/api/models",
    summary: "The models, and whether each is ready",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("models", modelViewSchema) },
  },
  getModel: {
    method: "GET",
    path: "/api/models/:name",
    summary: "One model",
    tag: "definitions",
    access: "user",
    answers: { 200: modelViewSchema },
  },
  listTools: {
    method: "GET",
    path: "/api/tools",
    summary:
      "What a model may call, with the JSON Schema of the arguments: tools, prompts that others offer, exposed agents",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("tools", toolViewSchema) },
  },
  getTool: {
    method: "GET",
    path: "/api/tools/:name",
    summary: "One of what a model may call",
    tag: "definitions",
    access: "user",
    answers: { 200: toolViewSchema },
  },
  listHooks: {
    method: "GET",
    path: "/api/hooks",
    summary: "The hooks, in the order in which they run",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("hooks", hookViewSchema) },
  },
  listRoutes: {
    method: "GET",
    path: "/api/routes",
    summary: "The project's own routes",
    tag: "definitions",
    access: "user",
    answers: { 200: listSchema("routes", routeViewSchema) },
  },
  createThread: {
    method: "POST",
    path: "/api/threads",
    summary: "Creates a thread; its initial messages start no run",
    tag: "threads",
    access: "user",
    body: createThreadSchema,
    bodyLimit: 8 * mib,
    keyed: true,
    answers: { 201: threadSchema },
  },
  listThreads: {
    method: "GET",
    path: "/api/threads",
    summary: "The caller's threads, newest activity first",
    tag: "threads",
    access: "user",
    query: listThreadsSchema,
    answers: { 200: listSchema("threads", threadSchema) },
  },
  getThread: {
    method: "GET",
    path: "/api/threads/:id",
    summary: "One thread",
    tag: "threads",
    access: "user",
    answers: { 200: threadSchema },
  },
  patchThread: {
    method: "PATCH",
    path: "/api/threads/:id",
    summary: "Changes title, tags, metadata or agent",
    tag: "threads",
    access: "user",
    body: patchThreadSchema,
    answers: { 200: threadSchema },
  },
  deleteThread: {
    method: "DELETE",
    path: "/api/threads/:id",
    summary: "Stops the run and deletes everything the thread holds",
    tag: "threads",
    access: "user",
    answers: { 204: null },
  },
  postMessage: {
    method: "POST",
    path: "/api/threads/:id/messages",
    summary: "Admits a message durably and, unless told otherwise, starts a run with it",
    tag: "messages",
    access: "user",
    query: waitSchema,
    body: postMessageSchema,
    bodyLimit: 6 * mib,
    keyed: true,
    answers: { 202: admittedMessageSchema, 200: admittedMessageSchema },
    stream: "negotiated",
  },
  listMessages: {
    method: "GET",
    path: "/api/threads/:id/messages",
    summary: "The messages of a thread",
    tag: "messages",
    access: "user",
    query: listMessagesSchema,
    answers: { 200: messagePageSchema },
  },
  getMessage: {
    method: "GET",
    path: "/api/threads/:id/messages/:mid",
    summary: "One message",
    tag: "messages",
    access: "user",
    answers: { 200: messageSchema },
  },
  patchMessage: {
    method: "PATCH",
    path: "/api/threads/:id/messages/:mid",
    summary: "Changes a message's text, merges its metadata",
    tag: "messages",
    access: "user",
    body: patchMessageSchema,
    bodyLimit: 6 * mib,
    answers: { 200: messageSchema },
  },
  deleteMessage: {
    method: "DELETE",
    path: "/api/threads/:id/messages/:mid",
    summary: "Deletes a message, and the results of the calls it asked for",
    tag: "messages",
    access: "user",
    answers: { 204: null },
  },
  postRun: {
    method: "POST",
    path: "/api/threads/:id/runs",
    summary: "Starts a run without a message",
    tag: "runs",
    access: "user",
    query: waitSchema,
    body: postRunSchema,
    bodyOptional: true,
    keyed: true,
    answers: { 202: admittedRunSchema, 200: admittedRunSchema },
    stream: "negotiated",
  },
  listRuns: {
    method: "GET",
    path: "/api/threads/:id/runs",
    summary: "The runs of a thread",
    tag: "runs",
    access: "user",
    query: listRunsSchema,
    answers: { 200: listSchema("runs", runSchema) },
  },
  getRun: {
    method: "GET",
    path: "/api/threads/:id/runs/:rid",
    summary: "One run",
    tag: "runs",
    access: "user",
    answers: { 200: runSchema },
  },
  stopThread: {
    method: "POST",
    path: "/api/threads/:id/stop",
    summary: "Stops the run; answers once the stop is durable",
    tag: "runs",
    access: "user",
    body: stopSchema,
    bodyOptional: true,
    answers: { 200: z.object({ status: threadStatusSchema }) },
  },
  listLogs: {
    method: "GET",
    path: "/api/threads/:id/logs",
    summary: "What the loop did and what it cost",
    tag: "logs",
    access: "user",
    query: listLogsSchema,
    answers: { 200: listSchema("logs", logSchema) },
  },
  getLog: {
    method: "GET",
    path: "/api/threads/:id/logs/:lid",
    summary: "One log entry",
    tag: "logs",
    access: "user",
    answers: { 200: logSchema },
  },
  ...searchRoutes,
  ...queueRoutes,
  ...exportRoutes,
  ...fileRoutes,
  ...catalogRoutes,
  ...usageRoutes,
  ...toolRoutes,
  ...feedRoutes,
  threadEvents: {
    method: "GET",
    path: "/api/threads/:id/events",
    summary: "The thread's events as SSE: what is kept after a number, then live",
    tag: "events",
    access: "user",
    query: subscribeSchema,
    answers: { 200: null },
    stream: "events",
  },
  threadStream: {
    method: "GET",
    path: "/api/threads/:id/stream",
    summary: "The same over a WebSocket, one JSON event a frame",
    tag: "events",
    access: "user",
    query: subscribeSchema,
    answers: { 101: null },
    stream: "socket",
  },
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
