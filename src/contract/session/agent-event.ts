// The events of a session, field by field as the agent API rework plan defines them ("Granular Event System"), and the
// line that ends an HTTP response.

import { z } from "zod";

import { jsonSchema } from "../json.ts";
import { sessionMessageSchema, sessionToolCallSchema } from "./session-message.ts";

const delta = z.string();
const index = z.number().int().nonnegative();
const sessionId = z.string();
const toolCallId = z.string();

function event<T extends string, F extends z.ZodRawShape>(type: T, fields: F) {
  return z.object({ type: z.literal(type), ...fields });
}

const roleSchema = z.enum(["user", "assistant", "toolResult", "error", "aborted"]);

const executeStatusSchema = z.enum(["completed", "awaiting_tool_execution", "error"]);
/** How an execution ended. */
export type ExecuteStatus = z.infer<typeof executeStatusSchema>;

/** The schema of all events of an execution. */
export const agentEventSchema = z.discriminatedUnion("type", [
  event("session_start", { sessionId }),
  /** The messages that this execution added, not those of the whole session. */
  event("session_end", { sessionId, messages: z.array(sessionMessageSchema) }),
  event("awaiting_tool_execution", { sessionId, toolCalls: z.array(sessionToolCallSchema) }),
  event("message_start", { role: roleSchema }),
  event("message_end", { message: sessionMessageSchema }),
  event("text_start", {}),
  event("text_delta", { delta }),
  event("text_end", { text: z.string() }),
  event("thinking_start", {}),
  event("thinking_delta", { delta }),
  event("thinking_end", { thinking: z.string() }),
  event("toolcall_start", { index }),
  event("toolcall_delta", { index, delta }),
  event("toolcall_end", { index, toolCall: sessionToolCallSchema }),
  event("tool_execution_start", { toolCallId, toolName: z.string(), args: jsonSchema }),
  event("tool_execution_delta", { toolCallId, delta }),
  event("tool_execution_end", { toolCallId, output: z.string(), details: jsonSchema.exactOptional() }),
  event("error", { error: z.string(), message: sessionMessageSchema.exactOptional() }),
]);

/** An event of an execution, as the agent API rework plan defines it. */
export type AgentEvent = z.infer<typeof agentEventSchema>;

/** The last line of a response. It is no event of the session; it reports the outcome of the request. */
export const executeCompleteSchema = event("execute_complete", {
  status: executeStatusSchema,
  /** Present if the status is `awaiting_tool_execution`. */
  pendingToolCalls: z.array(sessionToolCallSchema).exactOptional(),
});

export type ExecuteComplete = z.infer<typeof executeCompleteSchema>;
