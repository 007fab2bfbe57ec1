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

/**
 * What starts the run: `message` is a posted message; `continue` starts without a new message; `tool` is a queued tool call; `rerun` answers
 * again on a new branch; `branch` goes on from an earlier message on a new branch.
 */
export const runKindSchema = z.enum(["message", "continue", "tool", "rerun", "branch"]);
export type RunKind = z.infer<typeof runKindSchema>;

const amount = z.number().int().positive().nullable();

/**
 * The limits of a run. Child threads count towards the limits of the run that called them; null removes a limit
 * (decisions 8 and 21: step limits, other limits). `turns` counts the turns of both sides together, `tokens` counts input and output,
 * `duration_ms` is the time of execution without waits, `cost` is in USD. `on_limit` decides what happens at a limit:
 * the run ends, or it is suspended until a client raises the limit.
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
/** The limits of a run: model calls, turns, tokens, milliseconds and USD. Null removes a limit. */
export type Limits = z.infer<typeof limitsSchema>;

/** Why a run ended without completing. */
export const runErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean().optional(),
});
/** The error that a run failed with. */
export type RunError = z.infer<typeof runErrorSchema>;

/**
 * What a run has used so far: the model requests of its main loop and nested loops, and completed child threads.
 * `steps` counts the main loop only.
 */
export const runTotalsSchema = z.object({
  steps: z.number().int().nonnegative(),
  usage: usageSchema,
  cost: costSchema,
});
export type RunTotals = z.infer<typeof runTotalsSchema>;

/** A run. While it has not ended, `steps`, `usage`, `cost` and `models` have the values after its last step. */
export const runSchema = z.object({
  id: z.string(),
  status: runStatusSchema,
  kind: runKindSchema,
  agent_id: z.string(),
  created_at: z.number().int(),
  started_at: z.number().int().nullable(),
  ended_at: z.number().int().nullable(),
  /**
   * Number of the run's `run_start` event. A client that subscribes with `after` = `first_seq - 1` receives all events of the run. Null for
   * a run that has not started.
   */
  first_seq: z.number().int().positive().nullable(),
  steps: z.number().int().nonnegative(),
  usage: usageSchema,
  cost: costSchema,
  models: z.array(z.string()),
  /** Text of the last answer. */
  text: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: jsonSchema,
  /** The answer of a run with a structure, parsed and checked. Absent for other runs, and for a run that ended without such an answer. */
  data: jsonSchema.exactOptional(),
  error: runErrorSchema.nullable(),
  message_ids: z.array(z.string()),
  parent_run_id: z.string().nullable(),
  branch_id: z.string(),
  version: z.string().nullable(),
});
/** One run of a thread, from its input to its end, with the tokens and the cost so far. */
export type Run = z.infer<typeof runSchema>;
