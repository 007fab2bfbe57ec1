// The tools that a server of the Responses API executes: items of the answer besides messages, reasoning and calls of functions. An item has the call and
// its result.

import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";
import type { ModelProviderTool } from "#spec/index.ts";

import { replaced, type ToolEvent, type ToolWire } from "./tool-wire.ts";

/** The types of items, and how each one is shown. */
const shownItems: Readonly<Record<string, (item: Fields) => Omit<ToolEvent, "type" | "id">>> = {
  web_search_call: ({ action }) => {
    const { sources, ...input } = fieldsOf(action);
    const { results } = input;
    return {
      input,
      output: { ...(sources === undefined ? {} : { sources }), ...(results === undefined ? {} : { results }) },
      sources: [...listOf(sources), { url: input["url"] }].map(fieldsOf),
    };
  },
  file_search_call: ({ queries, results }) => ({ input: { queries }, output: results ?? null }),
  code_interpreter_call: ({ code, outputs }) => ({ input: { code }, output: outputs ?? null }),
  image_generation_call: ({ revised_prompt, result, output_format, size, quality }) => ({
    input: revised_prompt === undefined ? {} : { prompt: revised_prompt },
    output: { size, quality },
    ...(typeof result === "string" && result !== ""
      ? { image: { mimeType: `image/${typeof output_format === "string" ? output_format : "png"}`, data: result } }
      : {}),
  }),
  mcp_call: ({ arguments: given, output, error }) => ({
    input: typeof given === "string" ? (parseJson(given) ?? given) : (given ?? {}),
    output: error ?? output ?? null,
  }),
  mcp_list_tools: ({ server_label, tools, error }) => ({
    input: { server_label },
    output: error ?? { tools: listOf(tools).map((tool) => fieldsOf(tool)["name"]) },
  }),
};

const has = (type: unknown): type is string => typeof type === "string" && Object.hasOwn(shownItems, type);

function nameOfItem({ type, server_label, name }: Fields): string {
  if (type === "mcp_call") return `${String(server_label)}.${String(name)}`;
  return String(type).replace(/_call$/, "");
}

/** The fields of the answer's items that a server leaves out unless a request asks for them, by the tool. */
const included: Readonly<Record<string, string>> = {
  web_search: "web_search_call.action.sources",
  file_search: "file_search_call.results",
  code_interpreter: "code_interpreter_call.outputs",
};

function read({ type, item: value }: Fields): ToolEvent[] {
  const item = fieldsOf(value);
  const { type: kind, id, status } = item;
  if (!has(kind)) return [];
  const name = nameOfItem(item);
  if (type === "response.output_item.added") return [{ type: "begin", id: String(id), name, input: {} }];
  if (type !== "response.output_item.done") return [];
  const isError = status === "failed" || status === "incomplete" || (item["error"] ?? null) !== null;
  const shown = shownItems[kind]?.(item) ?? {};
  // An image is stored as a file. The item would repeat its bytes in each request.
  return [
    { type: "end", id: String(id), name, isError, ...shown, ...(shown.image === undefined ? { call: item } : {}) },
  ];
}

/** A tool in the form of the API. The Code Interpreter needs a container. */
function sentTool(tool: ModelProviderTool): Fields {
  return tool.type === "code_interpreter" ? { container: { type: "auto" }, ...tool } : tool;
}

export const responsesTools: ToolWire = {
  createReader: () => ({ read }),
  needsResult: false,
  isBlock: ({ type }) => has(type),
  addTools: (body, tools) => ({
    ...body,
    tools: [...listOf(body["tools"]), ...tools.map(sentTool)],
    include: [...new Set([...listOf(body["include"]), ...tools.flatMap(({ type }) => included[type] ?? [])])],
  }),
  replaceTexts: (body, blocksOf) => ({
    ...body,
    input: replaced(body["input"], ({ role, content }) => {
      const [first] = listOf(content);
      return role === "assistant" && isObject(first) ? blocksOf(first["text"]) : undefined;
    }),
  }),
};
