// The result of a tool, as messages, events and `invokeTool` show it (Standard Agents, ToolResult).

import { z } from "zod";

import { attachmentRefSchema } from "./attachment.ts";
import { jsonSchema } from "./json.ts";

/**
 * The result of a tool. `details` is for programs and is never sent to a model. A stack trace is in the log only (decision 14: hooks and
 * results of tools).
 */
export const toolResultSchema = z.object({
  status: z.enum(["success", "error"]),
  result: z.string().optional(),
  error: z.string().optional(),
  details: jsonSchema.optional(),
  /** Files of the thread that the tool created or named. */
  attachments: z.array(attachmentRefSchema).optional(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;
