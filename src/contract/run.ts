// A run: one execution of the loop, from an input to its end.

import { z } from "zod";

import { jsonSchema } from "./json.ts";
import { costSchema, usageSchema } from "./usage-schema.ts";

export const runStatusSchema = z.enum([
  "queued",
  "running",
  "awaiting_tool_execution",
  "completed",
  "stopped",
  "limit",
  "error",
]);
/** The state of a run: `queued`, `running` or `awaiting_tool_execution`, then one of the final ones. */
export type RunStatus = z.infer<typeof runStatusSchema>;

/** `message`: started by a message; `continue`: without one; `tool`: by a queued call. */
export const runKindSchema = z.enum(["message", "continue", "tool"]);
export type RunKind = z.infer<typeof runKindSchema>;

const amount = z.number().int().positive().nullable();

/**
 * What a run may use at most, what it has others do for it included; null lifts a bound (decisions 8 and 21). `turns` are of
 * both sides together, `tokens` in and out, `duration_ms` is time at work, `cost` is USD. `on_limit` says what becomes of a
 * run that reaches one: it ends, or rests until a continue raises it.
 */
export const limitsSchema = z
  .object({
    steps: amount.optional(),
    turns: amount.optional(),
    tokens: amount.optional(),
    duration_ms: amount.optional(),
    cost: z.number().positive().nullable().optional(),
    on_limit: z.enum(["end", "rest"]).optional(),
  })
  .strict();
/** What a run may use: model calls, turns, tokens, milliseconds and USD. Null lifts a limit. */
export type Limits = z.infer<typeof limitsSchema>;

/** Why a run ended without completing. */
export const runErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean().optional(),
});
/** The error that a run failed with. */
export type RunError = z.infer<typeof runErrorSchema>;

/** What a run has used so far: model requests of all its loops, and completed child threads. `steps` counts its main loop only. */
export const runTotalsSchema = z.object({
  steps: z.number().int().nonnegative(),
  usage: usageSchema,
  cost: costSchema,
});
export type RunTotals = z.infer<typeof runTotalsSchema>;

/** A run. `steps`, `usage`, `cost` and `models` of an unfinished run are as of its last step. */
export const runSchema = z.object({
  id: z.string(),
  status: runStatusSchema,
  kind: runKindSchema,
  agent_id: z.string(),
  created_at: z.number().int(),
  started_at: z.number().int().nullable(),
  ended_at: z.number().int().nullable(),
  /** Number of its `run_start` event; its events follow the number before. Null for a run that has not started. */
  first_seq: z.number().int().positive().nullable(),
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
/** One run of a thread, from its input to its end, with the tokens and the cost so far. */
export type Run = z.infer<typeof runSchema>;
