// What the service says of itself: that it answers, which version it is, what the last build of the definitions found. And whom a
// request's credentials speak for.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";

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

/** Whom a request's credentials speak for. */
const callerSchema = z.object({
  /** Null for an administrator without a user id. */
  user_id: z.string().nullable(),
  admin: z.boolean(),
});

/** The row. */
export const callerRoutes = {
  getCaller: {
    method: "GET",
    path: "/api/caller",
    summary: "Whom the request's credentials speak for",
    tag: "service",
    access: "user",
    answers: { 200: callerSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;

/** Answer of `GET /healthz`; `diagnostics` only when there is one. */
export const healthSchema = z.object({
  status: z.literal("ok"),
  version: z.string(),
  diagnostics: z.array(diagnosticSchema).optional(),
});
