// The routes about the service itself, as rows of the one route table: the caller that a request's credentials identify, the service's
// health with the findings of the last build, the OpenAPI document, and tickets for streams.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { jsonObjectSchema } from "./json.ts";

/** A finding of the build, or about the configuration, as `/healthz` shows it. */
export const diagnosticSchema = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  file: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  suggestion: z.string().optional(),
  notes: z.array(z.string()).optional(),
  source: z.string().optional(),
});

/** The caller that a request's credentials identify. */
const callerSchema = z.object({
  /** Null for an administrator without a user id. */
  user_id: z.string().nullable(),
  admin: z.boolean(),
});

/** Response of `GET /healthz`. `diagnostics` is absent if there are none. */
const healthSchema = z.object({
  status: z.literal("ok"),
  version: z.string(),
  diagnostics: z.array(diagnosticSchema).optional(),
});

/** Body of `POST /api/tickets`: the path that the browser will open. */
const ticketSchema = z.object({ path: z.string().startsWith("/api/").max(500) }).strict();

/** Response of `POST /api/tickets`. */
const ticketAnswerSchema = z.object({ ticket: z.string(), expires_at: z.number().int() });

export const serviceRoutes = {
  getCaller: {
    method: "GET",
    path: "/api/caller",
    summary: "Whom the request's credentials speak for",
    tag: "service",
    access: "user",
    answers: { 200: callerSchema },
  },
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
} as const satisfies Record<string, BuiltInRoute>;
