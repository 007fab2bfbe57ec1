// The routes about the service itself: its health with version and findings of the last build, and the caller that a request's
// credentials identify.

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

/** The caller that a request's credentials identify. */
const callerSchema = z.object({
  /** Null for an administrator without a user id. */
  user_id: z.string().nullable(),
  admin: z.boolean(),
});

/** The route of `GET /api/caller`. */
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
