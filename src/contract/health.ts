// What the service says of itself: that it answers, which version it is, what the last build of the definitions found.

import { z } from "zod";

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

/** Who a request's credentials speak for. */
export const callerSchema = z.object({
  /** Null for an administrator without a user id. */
  user_id: z.string().nullable(),
  admin: z.boolean(),
});

/** Answer of `GET /healthz`; `diagnostics` only when there is one. */
export const healthSchema = z.object({
  status: z.literal("ok"),
  version: z.string(),
  diagnostics: z.array(diagnosticSchema).optional(),
});
