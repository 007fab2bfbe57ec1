// Why a model stopped. It is a file of its own, so that code which reads a reason does not load the shapes of messages.

import { z } from "zod";

/** Why a model stopped. `aborted` and `error` mark a partial answer that was kept. */
export const stopReasonSchema = z.enum(["stop", "length", "tool_calls", "content_filter", "aborted", "error"]);
export type StopReason = z.infer<typeof stopReasonSchema>;
