// A session as it is shown (agent API rework plan, "Agent Sessions"), and what the status of a thread or a run is called there.

import { z } from "zod";

import type { RunStatus } from "../run.ts";
import type { ThreadStatus } from "../thread.ts";
import { costSchema } from "../usage-schema.ts";
import { sessionMessageSchema, sessionToolCallSchema } from "./session-message.ts";

const sessionStatusSchema = z.enum(["running", "awaiting_tool_execution", "completed", "error"]);
/** The state of a session. */
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

/** Answer of `GET /api/agent/session/:id`. */
export const sessionViewSchema = z.object({
  id: z.string(),
  status: sessionStatusSchema,
  /** Name of the model that answered last, or of the one that will answer. */
  model: z.string().nullable(),
  messages: z.array(sessionMessageSchema),
  /** USD over all executions, null where a price is missing. */
  totalCost: costSchema,
  /** Empty unless the status is `awaiting_tool_execution`. */
  pendingToolCalls: z.array(sessionToolCallSchema),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

/** What a thread's or a run's status reads as: whoever can go on with the next word has a session that is `completed`. */
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
