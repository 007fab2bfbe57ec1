// Converts tools of other entries, such as those of `threadhold/tools/node`, to tools of a loop (REQ-053).

import type { Json, JsonObject } from "#contract/json.ts";
import { isObject } from "#lib/json-value.ts";
import { losslessJson } from "#lib/lossless-json.ts";

import type { Content } from "./loop-messages.ts";
import { textResult, ToolError } from "./loop-tool.ts";
import type { AgentTool, ToolResult } from "./loop-tool.ts";

/** A tool as `llm()` and `agent()` take it, such as those of `hostCodingTools` and of MCP servers over stdio. */
export interface RunnableTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: { readonly type: "object"; readonly [keyword: string]: unknown };
  /** If true, a call of the tool never runs at the same time as another call of the same answer. */
  readonly sequential?: boolean;
  /** Runs a call. Returns a text, `{ content }` with blocks, or any JSON value. */
  run(params: Record<string, unknown>, context: { readonly toolCallId: string; readonly signal: AbortSignal }): unknown;
}

/** Converts a tool of `llm()` or `agent()` to a tool of a loop. */
export function convertTool(tool: RunnableTool): AgentTool {
  const { name, description, parameters, sequential = false } = tool;
  return {
    name: () => name,
    label: () => name,
    description: () => description,
    parametersSchema: () => parameters as JsonObject,
    isSequential: () => sequential,
    async execute(params, { tool_call_id: toolCallId, cancel }) {
      return resultOf(await tool.run(params, { toolCallId, signal: cancel.signal }));
    },
  };
}

/** The result of a tool. A value that is no text and no list of blocks becomes its JSON. */
function resultOf(returned: unknown): ToolResult {
  if (typeof returned === "string") return textResult(returned);
  const blocks = isObject(returned) && Array.isArray(returned["content"]) ? (returned["content"] as unknown[]) : null;
  if (blocks !== null) return { content: blocks.map(blockOf), details: null };
  const json = losslessJson(returned);
  if (json === undefined)
    throw ToolError.failed("The tool returned nothing that JSON can contain. It has to return a value.");
  return textResult(json, returned as Json);
}

function blockOf(block: unknown): Content {
  const { type, text, mimeType, source, title } = (isObject(block) ? block : {}) as Record<string, unknown>;
  if (type === "text") return { type: "text", text: String(text) };
  const data = isObject(source) ? source["data"] : undefined;
  if (type === "image" && typeof data === "string") return { type: "image", data, mime_type: String(mimeType) };
  // A result of a loop has texts and images. The model reads that there is another file.
  return { type: "text", text: `[A file that cannot be shown: ${String(title ?? mimeType ?? type)}]` };
}
