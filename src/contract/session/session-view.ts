// A session as `GET /api/agent/session/:id` returns it (agent API rework plan, "Agent Sessions"), and how the status of
// a thread or a run maps to the status of a session.

import { z } from "zod";

import type { RunStatus } from "../run.ts";
import type { ThreadStatus } from "../thread.ts";
import { costSchema } from "../usage-schema.ts";
import { sessionMessageSchema, sessionToolCallSchema } from "./session-message.ts";

const sessionStatusSchema = z.enum(["running", "awaiting_tool_execution", "completed", "error"]);
/** The state of a session. */
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

/** The response of `GET /api/agent/session/:id`. */
export const sessionViewSchema = z.object({
  id: z.string(),
  status: sessionStatusSchema,
  /** Name of the model that answered last; before the first answer, of the model that will answer. */
  model: z.string().nullable(),
  messages: z.array(sessionMessageSchema),
  /** USD over all executions; null if a price is unknown. */
  totalCost: costSchema,
  /** Empty unless the status is `awaiting_tool_execution`. */
  pendingToolCalls: z.array(sessionToolCallSchema),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

/**
 * Maps the status of a thread or a run to a session's. An idle thread, which can take the next message, is a
 * `completed` session.
 */
export function sessionStatus(status: ThreadStatus | RunStatus): SessionStatus {
  switch (status) {
    case "running":
    case "queued":
      return "running";
    case "awaiting_tool_execution":
      return "awaiting_tool_execution";
    case "error":
      return "error";
    case "idle":
    case "completed":
    case "stopped":
    case "limit":
      return "completed";
  }
}
