// The result of a tool: text for the model and files for the thread.

/** A piece of text (Standard Agents, tools). */
export interface TextContent {
  type: "text";
  text: string;
}

/** An image in base64 (Standard Agents, tools). */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
}

/** A piece of content (Standard Agents, tools). */
export type ToolContent = TextContent | ImageContent;

/** A file in base64. */
export interface FileContent {
  type: "file";
  data: string;
  mimeType: string;
  name?: string;
}

/** A new file to store under `/attachments/` and link to the result (Standard Agents, tools). */
export interface ToolAttachment {
  name: string;
  mimeType: string;
  /** Base64. */
  data: string;
  /** Pixels, for images. */
  width?: number;
  /** Pixels, for images. */
  height?: number;
}

/** A file that exists in the thread already (Standard Agents, tools). */
export interface AttachmentRef {
  id: string;
  type: "file";
  path: string;
  name: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Pixels, for images. */
  width?: number;
  /** Pixels, for images. */
  height?: number;
  description?: string;
}

/** The outcome of a tool call (Standard Agents, tools). */
export interface ToolResult {
  status: "success" | "error";
  /** Text that the model reads. */
  result?: string;
  /** Description of the error, which the model reads. */
  error?: string;
  /** Stored in the log, never sent to the model. */
  stack?: string;
  attachments?: Array<ToolAttachment | AttachmentRef>;
  /**
   * Further parts of the result. The model reads their texts after `result`, each on a line of its own. Images and files are stored like
   * `attachments`.
   */
  content?: Array<ToolContent | FileContent>;
  /**
   * A value of any type. `state.invokeTool` returns it as it is. Only its JSON is stored: as the text that the model reads if there is no
   * other text, otherwise as details, which the model does not read. Details over 200,000 bytes are dropped.
   */
  value?: unknown;
}
