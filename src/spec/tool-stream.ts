// The parts that a streaming tool yields: output, progress, and the result at the end.

import type { ToolResult } from "./tool-result-parts.ts";

/** A piece of output, which is sent to subscribers while the tool runs. */
export interface ToolDelta {
  type: "delta";
  delta: string;
}

/** Progress of the tool; `data` must be JSON. */
export interface ToolProgress {
  type: "progress";
  data: unknown;
}

/** The end of the stream with the tool's output. */
export interface ToolComplete {
  type: "complete";
  /** The output that the model reads. A value other than text is sent as JSON. */
  output: unknown;
  /** For UIs and logs, not for the model. */
  details?: unknown;
}

/** A part of the stream. The last part is a `complete` or a ToolResult. */
export type ToolStreamPart = ToolDelta | ToolProgress | ToolComplete | ToolResult;

/** The stream of a tool. A generator may `return` the last part instead of yielding it. */
export type ToolStream = AsyncIterable<ToolStreamPart, ToolStreamPart | void>;
