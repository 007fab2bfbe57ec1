// The tools that Google executes: parts with code and its result, parts with calls from Gemini 3 on, and the searches of an answer that only its metadata
// has.

import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";
import type { ModelProviderTool } from "#spec/index.ts";

import { replacedIn, type ToolEvent, type ToolReader, type ToolWire } from "./tool-wire.ts";

const fields = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** `google_search` → `googleSearch`. */
const fieldOf = (type: string): string => type.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

class GeminiReader implements ToolReader {
  #codes = 0;
  #hasCalls = false;
  #grounding: Fields = {};
  #pages: Fields = {};

  read({ candidates }: Fields): ToolEvent[] {
    const { content, groundingMetadata, urlContextMetadata } = fieldsOf(listOf(candidates)[0]);
    if (isObject(groundingMetadata)) this.#grounding = { ...this.#grounding, ...groundingMetadata };
    if (isObject(urlContextMetadata)) this.#pages = urlContextMetadata;
    return listOf(fieldsOf(content)["parts"]).flatMap((part) => (isObject(part) ? this.#part(part) : []));
  }

  #part(part: Fields): ToolEvent[] {
    const { executableCode: code, codeExecutionResult: ran, toolCall, toolResponse } = part;
    if (isObject(code)) {
      this.#codes += 1;
      const named = { id: `code_${this.#codes}`, name: "code_execution" };
      return [
        { type: "begin", ...named, input: code, call: part, ...(code["code"] === "" ? {} : { isOrdered: true }) },
      ];
    }
    if (isObject(ran)) {
      const named = { id: `code_${this.#codes}`, name: "code_execution" };
      const isError = ran["outcome"] !== "OUTCOME_OK";
      const order = this.#codes === 0 ? {} : { isOrdered: true as const };
      return [{ type: "end", ...named, output: ran["output"] ?? "", isError, result: part, ...order }];
    }
    const called = isObject(toolCall) ? toolCall : toolResponse;
    if (!isObject(called)) return [];
    this.#hasCalls = true;
    const { toolType, id, args, response } = called;
    const named = { id: String(id ?? toolType), name: String(toolType).toLowerCase(), isOrdered: true as const };
    if (isObject(toolCall)) return [{ type: "begin", ...named, input: args ?? {}, call: part }];
    return [{ type: "end", ...named, output: response ?? null, result: part }];
  }

  end(): ToolEvent[] {
    if (this.#hasCalls) return [];
    const queries = listOf(this.#grounding["webSearchQueries"]);
    const found = listOf(this.#grounding["groundingChunks"]).map((chunk) => Object.values(fieldsOf(chunk))[0]);
    const sources = found.map(fieldsOf).map(({ uri, title }) => ({ url: uri, title }));
    const pages = listOf(this.#pages["urlMetadata"]).map(fieldsOf);
    return [
      ...(queries.length === 0 ? [] : whole("google_search", { queries }, { sources })),
      ...(pages.length === 0
        ? []
        : whole("url_context", { urls: pages.map(({ retrievedUrl }) => retrievedUrl) }, pages).map((event) => ({
            ...event,
            sources: pages.map(({ retrievedUrl: url }) => ({ url })),
          }))),
    ];
  }
}

/** A call that only the metadata of the answer shows. Nothing of it is sent back. */
function whole(name: string, input: Fields, output: unknown): ToolEvent[] {
  return [
    { type: "begin", id: name, name, input },
    { type: "end", id: name, output },
  ];
}

function sentTool({ type, ...options }: ModelProviderTool): Fields {
  return { [fieldOf(type)]: options };
}

const geminiTools: ToolWire = {
  createReader: () => new GeminiReader(),
  needsResult: true,
  isBlock: (block) => fields.some((field) => isObject(block[field])),
  refusal({ model }, hasFunctions) {
    if (!hasFunctions || !/gemini-[12]\b/.test(model.model)) return null;
    return `"${model.model}" takes either tools or functions, so the request has no tools of the provider.`;
  },
  addTools(body, tools) {
    const functions = listOf(body["tools"]);
    if (functions.length === 0) return { ...body, tools: tools.map(sentTool) };
    const config = fieldsOf(body["toolConfig"]);
    const calling = fieldsOf(config["functionCallingConfig"]);
    // Gemini accepts no automatic choice together with its tools.
    const mode = calling["mode"] === undefined || calling["mode"] === "AUTO" ? "VALIDATED" : calling["mode"];
    const functionCallingConfig = { ...calling, mode };
    return {
      ...body,
      tools: [...tools.map(sentTool), ...functions],
      toolConfig: { ...config, functionCallingConfig },
    };
  },
  replaceTexts: (body, blocksOf) => ({
    ...body,
    contents: replacedIn(body["contents"], { role: "model", name: "parts" }, ({ text }) => blocksOf(text)),
  }),
};

/** Gemini at Vertex AI. */
export const vertexTools: ToolWire = geminiTools;

/** The Gemini API, which returns calls of its tools only if a request with functions asks for them. */
export const googleTools: ToolWire = {
  ...geminiTools,
  addTools(body, tools, target) {
    const sent = geminiTools.addTools(body, tools, target);
    const config = sent["toolConfig"];
    if (listOf(body["tools"]).length === 0) return sent;
    return { ...sent, toolConfig: { ...fieldsOf(config), includeServerSideToolInvocations: true } };
  },
};
