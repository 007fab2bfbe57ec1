// A conversation that a thread begins with: messages, calls and results that no run of the thread produced.

import type { ToolResult } from "./call-result.ts";
import type { InputContent, Part } from "./content.ts";
import type { StopReason } from "./thread-message.ts";

/** One message of the conversation. `index` is its position in the client's request, for refusals. */
export type TranscriptMessage =
  | { role: "user"; content: InputContent; index: number }
  | { role: "assistant"; parts: Part[]; stop_reason: StopReason | null; index: number }
  | { role: "tool"; tool_call_id: string; name: string; result: ToolResult; index: number };
