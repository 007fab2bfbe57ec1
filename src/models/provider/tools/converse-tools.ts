// The tools that AWS executes for Amazon Nova: `toolUse` blocks of the type `server_tool_use` and their `toolResult` blocks in Converse. The pages that an
// answer cites are read by the model of Converse (`../../bedrock/converse-parts.ts`).
// Sources: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlockStart.html and the pages of its types.

import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";

import { textOf } from "../chunk-field.ts";
import { mostStored, replacedIn, type ToolEvent, type ToolReader, type ToolWire } from "./tool-wire.ts";

const callType = "server_tool_use";
/** `nova_grounding_result`, `nova_code_interpreter_result`. */
const resultType = /_result$/;

/** A block whose deltas still arrive. */
interface OpenBlock {
  name: "toolUse" | "toolResult";
  /** The fields of its start. */
  start: Fields;
  /** The arguments of a call. */
  written: string;
  /** The content of a result. */
  content: Fields[];
  /** The characters so far. From `mostStored` on no more are read, because such a block is not sent back. */
  length: number;
}

/** The value of a text that has a JSON object; the text itself if it has none. */
function valueOf({ text, json }: Fields): unknown {
  if (typeof text !== "string") return json;
  const parsed = parseJson(text);
  return isObject(parsed) ? parsed : text;
}

class ConverseReader implements ToolReader {
  readonly #open = new Map<unknown, OpenBlock>();

  read({ contentBlockStart, contentBlockDelta, contentBlockStop, messageStop }: Fields): ToolEvent[] {
    if (isObject(contentBlockStart)) {
      const { contentBlockIndex: index = 0, start } = contentBlockStart;
      // A block that begins at the index of an open block ends it.
      const ended = this.#stop(index);
      this.#start(index, fieldsOf(start));
      return ended;
    }
    if (isObject(contentBlockDelta)) {
      const block = this.#open.get(contentBlockDelta["contentBlockIndex"] ?? 0);
      if (block !== undefined) append(block, fieldsOf(contentBlockDelta["delta"]));
      return [];
    }
    if (isObject(contentBlockStop)) return this.#stop(contentBlockStop["contentBlockIndex"] ?? 0);
    return isObject(messageStop) ? [...this.#open.keys()].flatMap((index) => this.#stop(index)) : [];
  }

  #start(index: unknown, { toolUse, toolResult }: Fields): void {
    const rest = { written: "", content: [], length: 0 };
    if (isObject(toolUse) && toolUse["type"] === callType)
      this.#open.set(index, { name: "toolUse", start: toolUse, ...rest });
    else if (isObject(toolResult)) this.#open.set(index, { name: "toolResult", start: toolResult, ...rest });
  }

  #stop(index: unknown): ToolEvent[] {
    const block = this.#open.get(index);
    if (block === undefined) return [];
    this.#open.delete(index);
    const { name, start, written, content } = block;
    const id = String(start["toolUseId"]);
    if (name === "toolUse") {
      const parsed = written === "" ? {} : parseJson(written);
      return [
        {
          type: "begin",
          id,
          name: String(start["name"]),
          input: isObject(parsed) ? parsed : written,
          ...(isObject(parsed) ? { call: { toolUse: { ...start, input: parsed } } } : {}),
        },
      ];
    }
    const values = content.map(valueOf);
    return [
      {
        type: "end",
        id,
        name: (textOf(start["type"]) ?? "").replace(resultType, ""),
        output: values.length > 1 ? values : (values[0] ?? null),
        isError: start["status"] === "error" || values.some((value) => fieldsOf(value)["isError"] === true),
        ...(content.length > 0 ? { result: { toolResult: { ...start, content } } } : {}),
      },
    ];
  }
}

/** Adds a delta to its block. Texts that follow each other are pieces of one text. */
function append(block: OpenBlock, { toolUse, toolResult }: Fields): void {
  const { input } = fieldsOf(toolUse);
  if (block.name === "toolUse") {
    if (typeof input !== "string" || block.length > mostStored) return;
    block.length += input.length;
    block.written += input;
    return;
  }
  for (const piece of listOf(toolResult).filter(isObject)) {
    if (block.length > mostStored) return;
    const { text } = piece;
    const last = block.content.at(-1);
    const before = last?.["text"];
    block.length += typeof text === "string" ? text.length : JSON.stringify(piece).length;
    if (typeof text === "string" && typeof before === "string" && last !== undefined) last["text"] = before + text;
    else block.content.push({ ...piece });
  }
}

export const converseTools: ToolWire = {
  createReader: () => new ConverseReader(),
  needsResult: true,
  isBlock: ({ toolUse, toolResult }) =>
    fieldsOf(toolUse)["type"] === callType || resultType.test(textOf(fieldsOf(toolResult)["type"]) ?? ""),
  nameOf: ({ type }) => type,
  addTools(body, tools) {
    const config = fieldsOf(body["toolConfig"]);
    const system = tools.map(({ type, ...fields }) => ({ systemTool: { name: type, ...fields } }));
    return { ...body, toolConfig: { ...config, tools: [...system, ...listOf(config["tools"])] } };
  },
  replaceTexts: (body, blocksOf) => ({
    ...body,
    messages: replacedIn(body["messages"], { role: "assistant", name: "content" }, ({ text }) => blocksOf(text)),
  }),
};
