// Converts the result of a call on an MCP server to the result of a tool.

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";

import type { ToolAnswer } from "#core/ports/tool-port.ts";

import { outsideText, visibleText } from "../outside-text.ts";

/** The maximum length of a name or an address in a line about a resource. */
const lineLimit = 1000;

/**
 * Converts the result of a call. `problem` is the reason why the structured content does not match the tool's schema; null if it matches.
 */
export function callResult(result: CallToolResult, problem: string | null): ToolAnswer {
  const { content, structuredContent, isError = false } = result;
  if (problem !== null && !isError) {
    return { status: "error", error: `The server's result does not match the schema that it declares: ${problem}` };
  }
  const parts = content.map((block) => contentPart(block));
  return {
    status: isError ? "error" : "success",
    content: parts,
    ...(parts.length === 0 && structuredContent === undefined ? { result: "" } : {}),
    // The model reads the structured content only if the result has no other content. Programs receive it in both cases.
    ...(structuredContent === undefined ? {} : { value: structuredContent }),
  };
}

/** Converts a content block to a part of a tool's result. */
export function contentPart(block: ContentBlock): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: visibleText(block.text) };
    case "image":
      return { type: "image", data: block.data, mimeType: block.mimeType };
    case "audio":
      return { type: "file", data: block.data, mimeType: block.mimeType, name: "audio" };
    case "resource_link":
      return { type: "text", text: `[resource ${line(block.name)}: ${line(block.uri)}]` };
    case "resource":
      return resourcePart(block.resource);
  }
}

/** Converts the contents of a resource to a part of a tool's result. */
export function resourcePart(
  resource: { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string }),
): unknown {
  if ("text" in resource) {
    return { type: "text", text: `[resource ${line(resource.uri)}]\n${visibleText(resource.text)}` };
  }
  const { mimeType = "application/octet-stream", blob, uri } = resource;
  return {
    type: mimeType.startsWith("image/") ? "image" : "file",
    data: blob,
    mimeType,
    name: line(uri.split(/[/?#]/).findLast((part) => part !== "") ?? "resource"),
  };
}

/** Returns a server's text in one line, without hidden characters. */
export function line(text: string): string {
  return outsideText(text, lineLimit).replaceAll(/\s+/g, " ");
}
