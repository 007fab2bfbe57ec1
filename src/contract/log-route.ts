// The routes of a thread's log, as rows of the one route table.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { listSchema } from "./list-page.ts";
import { logSchema, logTypeSchema } from "./log-entry.ts";
import { cursorField, limit } from "./query-field.ts";

/** Query of `GET /api/threads/:id/logs`. */
export const listLogsSchema = z
  .object({
    limit: limit(100, 1000),
    cursor: cursorField.optional(),
    order: z.enum(["asc", "desc"]).default("asc"),
    type: logTypeSchema.optional(),
    run_id: z.string().optional(),
  })
  .strict();
export type ListLogs = z.infer<typeof listLogsSchema>;

export const logRoutes = {
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
} as const satisfies Record<string, BuiltInRoute>;
