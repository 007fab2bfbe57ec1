// The parts of a tool that streams its work: an async iterable ending in its result.

import type { ToolResult } from "./tool-result.ts";

/** A piece of output for subscribers to show while the tool works. */
export interface ToolDelta {
  type: "delta";
  delta: string;
}

/** How far the work is; JSON. */
export interface ToolProgress {
  type: "progress";
  data: unknown;
}

/** The end of the work. */
export interface ToolComplete {
  type: "complete";
  /** What the model reads; anything but text is sent as JSON. */
  output: unknown;
  /** For UIs and logs, not for the model. */
  details?: unknown;
}

/** What a streaming tool yields; the last part is a `complete` or a ToolResult. */
export type ToolStreamPart = ToolDelta | ToolProgress | ToolComplete | ToolResult;

/** A tool's work as a stream. A generator may `return` its result instead of yielding it. */
export type ToolStream = AsyncIterable<ToolStreamPart, ToolStreamPart | void>;
