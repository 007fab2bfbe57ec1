// Converts the result of a call on an MCP server to the result of a tool.

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";

import type { ToolAnswer } from "#core/ports/tool-port.ts";

import { outsideText } from "./outside-text.ts";

/** The maximum length of names and addresses in a line about a resource. */
const lineLimit = 1000;

/** The result of the call. `problem` says why its structured content does not match the tool's schema. */
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
    // The text that a model reads if the server sends no other, and details for programs otherwise.
    ...(structuredContent === undefined ? {} : { value: structuredContent }),
  };
}

/** A content block as a part of a tool's result. */
export function contentPart(block: ContentBlock): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
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

/** The contents of a resource as a part of a tool's result. */
export function resourcePart(
  resource: { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string }),
): unknown {
  if ("text" in resource) return { type: "text", text: `[resource ${line(resource.uri)}]\n${resource.text}` };
  const { mimeType = "application/octet-stream", blob, uri } = resource;
  return {
    type: mimeType.startsWith("image/") ? "image" : "file",
    data: blob,
    mimeType,
    name: line(uri.split(/[/?#]/).findLast((part) => part !== "") ?? "resource"),
  };
}

/** A server's text in one line. */
export function line(text: string): string {
  return outsideText(text, lineLimit).replaceAll(/\s+/g, " ");
}
