// Converts the result of a call on an MCP server to the result of a tool.

import type { Json } from "#contract/json.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import type { Fields } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { omittedLines, readBlocks } from "./content-parts.ts";
import type { ContentPart } from "./content-parts.ts";
import type { OmittedItems } from "./read-items.ts";

/** The result of a call. Its blocks are read one at a time, so that an odd one loses no other. */
export interface CallResult {
  parts: ContentPart[];
  omitted: OmittedItems;
  /** Undefined if there is none. */
  structuredContent: Json | undefined;
  isError: boolean;
}

/** Reads a result, which is parsed JSON. Never throws. */
export function readCallResult({ content, structuredContent, toolResult, isError }: Fields): CallResult {
  const read = readBlocks(content);
  // Some servers send null for an absent field. Servers of the version 2024-10-07 send `toolResult` alone. The value is parsed JSON.
  const structured = (structuredContent ?? (content === undefined ? toolResult : null) ?? undefined) as
    | Json
    | undefined;
  return { ...read, structuredContent: structured, isError: isError === true || isError === 1 || isError === "true" };
}

/** Whether a model can read a part of the result. */
export function hasReadablePart({ parts }: CallResult): boolean {
  return parts.some((part) => part.type !== "text" || isVisible(part.text));
}

/**
 * Converts the result of a call. `problem` is the reason why the structured content does not match the tool's schema; null if it matches.
 */
export function callResult(result: CallResult, problem: string | null): ToolAnswer {
  const { parts, structuredContent, isError } = result;
  if (problem !== null && !isError) {
    return { status: "error", error: `The server's result does not match the schema that it declares: ${problem}` };
  }
  const lines = omittedLines(result);
  const content =
    hasReadablePart(result) || structuredContent === undefined ? parts : structuredParts(structuredContent, lines);
  return {
    status: isError ? "error" : "success",
    content: [...content, ...lines],
    ...(content.length + lines.length === 0 && structuredContent === undefined ? { result: "" } : {}),
    ...(structuredContent === undefined ? {} : { value: structuredContent }),
  };
}

/**
 * The content for the model if nothing else of the result could be read. Without a line about parts that are left out there is no content,
 * and the model reads the JSON of the value, as programs do.
 */
function structuredParts(structured: Json, lines: readonly ContentPart[]): ContentPart[] {
  return lines.length === 0 ? [] : [{ type: "text", text: JSON.stringify(structured) }];
}
