// What a tool answered, as messages, events and `invokeTool` show it (Standard Agents, ToolResult).

import { z } from "zod";

import { attachmentRefSchema } from "./attachment.ts";
import { jsonSchema } from "./json.ts";

/** A tool's answer. `details` is for programs and never sent to a model; a stack stays in the log (decision 14). */
export const toolResultSchema = z.object({
  status: z.enum(["success", "error"]),
  result: z.string().optional(),
  error: z.string().optional(),
  details: jsonSchema.optional(),
  /** Files of the thread that the tool made or named. */
  attachments: z.array(attachmentRefSchema).optional(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;
