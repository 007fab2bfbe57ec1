// A run: one activation of the loop, from input to rest.

import { z } from "zod";

import { jsonSchema } from "./json.ts";
import { costSchema, usageSchema } from "./usage.ts";

export const runStatusSchema = z.enum([
  "queued",
  "running",
  "awaiting_tool_execution",
  "completed",
  "stopped",
  "limit",
  "error",
]);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** The statuses a run never leaves. */
export function isFinished(status: RunStatus): boolean {
  return status === "completed" || status === "stopped" || status === "limit" || status === "error";
}

/** `message`: started by a message; `continue`: without one. `tool` starts with a queued call. */
export const runKindSchema = z.enum(["message", "continue", "tool"]);
export type RunKind = z.infer<typeof runKindSchema>;

/** Bounds of one run; null lifts a bound (decision 8, 21). */
export const limitsSchema = z.object({ steps: z.number().int().positive().nullable().optional() }).strict();
export type Limits = z.infer<typeof limitsSchema>;

/** What ended a run that did not complete. */
export const runErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean().optional(),
});
export type RunError = z.infer<typeof runErrorSchema>;

export const runSchema = z.object({
  id: z.string(),
  status: runStatusSchema,
  kind: runKindSchema,
  agent_id: z.string(),
  created_at: z.number().int(),
  started_at: z.number().int().nullable(),
  ended_at: z.number().int().nullable(),
  steps: z.number().int().nonnegative(),
  usage: usageSchema,
  cost: costSchema,
  models: z.array(z.string()),
  /** Text of the last answer. */
  text: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: jsonSchema,
  error: runErrorSchema.nullable(),
  message_ids: z.array(z.string()),
  parent_run_id: z.string().nullable(),
  branch_id: z.string(),
  version: z.string().nullable(),
});
export type Run = z.infer<typeof runSchema>;
