// The tools that Anthropic executes: `server_tool_use` blocks and their results in the Messages API.

import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";
import type { ModelProviderTool } from "#spec/index.ts";

import { replacedIn, type ToolEvent, type ToolReader, type ToolWire } from "./tool-wire.ts";

const callTypes = new Set<unknown>(["server_tool_use", "mcp_tool_use"]);
const isResult = (type: unknown): boolean => typeof type === "string" && type.endsWith("_tool_result");

/** The most characters of a call's arguments. */
const longestInput = 256 * 1024;

/** The betas of tools, by type. Other types need none. */
const betaOf: Readonly<Record<string, string>> = {
  code_execution_20250522: "code-execution-2025-05-22",
  code_execution_20250825: "code-execution-2025-08-25",
  web_fetch_20250910: "web-fetch-2025-09-10",
  web_fetch_20260209: "code-execution-web-tools-2026-02-09",
  web_search_20260209: "code-execution-web-tools-2026-02-09",
  advisor_20260301: "advisor-tool-2026-03-01",
};

const nameOf = ({ type }: ModelProviderTool): string => type.replace(/_\d+$/, "");

/** The pages of a result: those that a search found, or the one that was fetched. */
function sourcesOf(content: unknown): Fields[] {
  const results = Array.isArray(content) ? content : [content];
  return results.map(fieldsOf).map((result) => ({
    url: result["url"],
    title: result["title"] ?? fieldsOf(result["content"])["title"],
  }));
}

class ClaudeReader implements ToolReader {
  /** The calls whose arguments are still written, by the number of their block. */
  readonly #open = new Map<unknown, { block: Fields; written: string }>();

  read({ type, index, content_block, delta }: Fields): ToolEvent[] {
    switch (type) {
      case "content_block_start":
        return this.#begin(index, fieldsOf(content_block));
      case "content_block_delta": {
        const call = this.#open.get(index);
        const { partial_json: piece } = fieldsOf(delta);
        if (call !== undefined && typeof piece === "string" && call.written.length <= longestInput)
          call.written += piece;
        return [];
      }
      case "content_block_stop":
        return this.#stop(index);
      default:
        return [];
    }
  }

  #begin(index: unknown, block: Fields): ToolEvent[] {
    if (callTypes.has(block["type"])) this.#open.set(index, { block, written: "" });
    if (!isResult(block["type"])) return [];
    const { content } = block;
    const isError = block["is_error"] === true || String(fieldsOf(content)["type"]).endsWith("_error");
    return [
      {
        type: "end",
        id: String(block["tool_use_id"]),
        name: String(block["type"]).replace("_tool_result", ""),
        output: content,
        result: block,
        isError,
        sources: sourcesOf(content),
      },
    ];
  }

  #stop(index: unknown): ToolEvent[] {
    const call = this.#open.get(index);
    if (call === undefined) return [];
    this.#open.delete(index);
    const { block, written } = call;
    const parsed = written === "" ? block["input"] : parseJson(written);
    const input = isObject(parsed) ? parsed : {};
    const { id, name, server_name: server } = block;
    const shown = typeof server === "string" ? `${server}.${String(name)}` : String(name);
    return [{ type: "begin", id: String(id), name: shown, input, call: { ...block, input } }];
  }
}

export const claudeTools: ToolWire = {
  createReader: () => new ClaudeReader(),
  needsResult: true,
  isBlock: ({ type }) => callTypes.has(type) || isResult(type),
  nameOf,
  // The mark for the cache is at the last function, so that it covers these tools too.
  addTools: (body, tools) => ({
    ...body,
    tools: [...tools.map((tool) => ({ name: nameOf(tool), ...tool })), ...listOf(body["tools"])],
  }),
  replaceTexts: (body, blocksOf) => ({
    ...body,
    messages: replacedIn(body["messages"], { role: "assistant", name: "content" }, ({ text, cache_control }) => {
      const blocks = blocksOf(text);
      if (cache_control === undefined) return blocks;
      return blocks?.map((block, at) => (at === blocks.length - 1 ? { ...block, cache_control } : block));
    }),
  }),
  betas: (tools) => [...new Set(tools.flatMap(({ type }) => betaOf[type] ?? []))],
};
