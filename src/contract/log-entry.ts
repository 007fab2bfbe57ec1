// Log entries: the steps of the loop and their cost (Standard Agents, Log). Each request to a model is one entry; its tool calls are
// entries under it.

import { z } from "zod";

import { jsonObjectSchema } from "./json.ts";

export const logTypeSchema = z.enum(["llm_request", "tool_call", "hook", "error", "recovery"]);
export type LogType = z.infer<typeof logTypeSchema>;

export const logSchema = z.object({
  id: z.string(),
  type: logTypeSchema,
  run_id: z.string().nullable(),
  parent_id: z.string().nullable(),
  created_at: z.number().int(),
  data: jsonObjectSchema,
});
/** One row of the log: a model attempt, a tool call, a hook, an error or a recovery. */
export type Log = z.infer<typeof logSchema>;
