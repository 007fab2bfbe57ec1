// The routes of a thread's runs, as rows of the one route table: start, list, read and stop.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { listSchema } from "./list-page.ts";
import { cursorField, limit, waitSchema } from "./query-field.ts";
import { limitsSchema, runSchema } from "./run.ts";
import { sideSchema } from "./thread-message.ts";
import { threadStatusSchema } from "./thread.ts";

/** Body of `POST /api/threads/:id/runs`. */
export const postRunSchema = z
  .object({
    kind: z.literal("continue").default("continue"),
    side: sideSchema.optional(),
    limits: limitsSchema.optional(),
  })
  .strict();
export type PostRun = z.infer<typeof postRunSchema>;

/** Response of `POST` of a run. */
const admittedRunSchema = z.object({ run: runSchema.nullable() });

/** Query of `GET /api/threads/:id/runs`. */
export const listRunsSchema = z
  .object({ limit: limit(50, 200), cursor: cursorField.optional(), order: z.enum(["asc", "desc"]).default("desc") })
  .strict();
export type ListRuns = z.infer<typeof listRunsSchema>;

/** Body of `POST /api/threads/:id/stop`. */
const stopSchema = z.object({ run_id: z.string().optional() }).strict();

export const runRoutes = {
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
} as const satisfies Record<string, BuiltInRoute>;
