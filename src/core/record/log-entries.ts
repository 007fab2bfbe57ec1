// The log entries of a log row (Standard Agents, Log). The row of a step contains the step's tool calls, whose entries have the step's
// entry as their parent.

import type { JsonObject } from "#contract/json.ts";

import type { LogRecord } from "./record.ts";

/** The entries of a row: the step, then its tool calls. */
export function logEntries(row: LogRecord): LogRecord[] {
  return [row, ...callEntries(row)];
}

/** The tool calls of a row: those of its step, or the row itself if the tool was invoked without a run. */
export function toolCallEntries(row: LogRecord): LogRecord[] {
  const isDirect = row.type === "tool_call" && row.data["tools"] === undefined;
  return isDirect ? [row] : callEntries(row);
}

function callEntries(row: LogRecord): LogRecord[] {
  const tools = row.data["tools"];
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool, index) => {
    if (typeof tool !== "object" || tool === null || Array.isArray(tool)) return [];
    const at = tool["at"];
    const entry: LogRecord = {
      id: `${row.id}.${index}`,
      type: "tool_call",
      run_id: row.run_id,
      parent_id: row.id,
      depth: row.depth,
      created_at: typeof at === "number" ? at : row.created_at,
      data: tool as JsonObject,
      events: [],
    };
    return [entry];
  });
}
