// Converts the events of ConverseStream to the parts of the AI SDK.
// Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html.
// Invariants: a block that begins at the index of an open block ends it; unknown events, blocks and deltas are left out; a tool that AWS runs itself is marked, so that the runtime does not run it; an
// answer without `messageStop` has no finish reason, and its open calls are not closed.

import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";

import { fromBase64, joinBase64 } from "#lib/base64.ts";
import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";

import { countOf, textOf } from "../provider/chunk-field.ts";

type Parts = LanguageModelV3StreamPart[];

/** A block of the answer that was begun and not ended. */
type Block =
  | { kind: "text" }
  | { kind: "thinking"; signature: string; redacted: string[] }
  | { kind: "call"; id: string; name: string; input: string; isForeign: boolean }
  | { kind: "image"; mediaType: string; bytes: string[] }
  | { kind: "other" };

/** Token counts of a `metadata` event. The cached tokens are not part of `inputTokens`. */
function usageOf(value: unknown): LanguageModelV3Usage {
  const usage = fieldsOf(value);
  const noCache = countOf(usage["inputTokens"]) ?? undefined;
  const cacheRead = countOf(usage["cacheReadInputTokens"]) ?? undefined;
  const cacheWrite = countOf(usage["cacheWriteInputTokens"]) ?? undefined;
  const output = countOf(usage["outputTokens"]) ?? undefined;
  const total = noCache === undefined ? undefined : noCache + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The events of one answer. */
export class ConverseParts {
  readonly #blocks = new Map<string, Block>();
  #stopReason: string | null = null;
  #usage: unknown = null;
  #hasFailed = false;

  /** Converts an event. */
  take(event: Fields): Parts {
    const raw: LanguageModelV3StreamPart = { type: "raw", rawValue: withoutPadding(event) };
    const { contentBlockStart: start, contentBlockDelta: delta, contentBlockStop: stop, error } = event;
    // Some gateways add an empty error to each event.
    if (isObject(error) && Object.keys(error).length > 0) {
      this.#hasFailed = true;
      return [raw, { type: "error", error }];
    }
    if (isObject(start)) {
      const index = indexOf(start);
      return [raw, ...this.#end(index), ...this.#start(index, fieldsOf(start["start"]))];
    }
    if (isObject(delta)) return [raw, ...this.#delta(indexOf(delta), fieldsOf(delta["delta"]))];
    if (isObject(stop)) return [raw, ...this.#end(indexOf(stop))];
    if (isObject(event["messageStop"])) {
      this.#stopReason = textOf(event["messageStop"]["stopReason"]);
      return [raw, ...[...this.#blocks.keys()].flatMap((index) => this.#end(index))];
    }
    this.#usage = fieldsOf(event["metadata"])["usage"] ?? this.#usage;
    return [raw];
  }

  /** The last part, at the end of the stream. */
  finish(): Parts {
    if (this.#hasFailed) return [];
    const finishReason = { unified: "other", raw: this.#stopReason ?? undefined } as const;
    return [{ type: "finish", finishReason, usage: usageOf(this.#usage) }];
  }

  #start(index: string, { toolUse, toolResult, image }: Fields): Parts {
    if (isObject(toolUse)) {
      const id = stringOf(toolUse["toolUseId"]);
      const name = stringOf(toolUse["name"]);
      const isForeign = toolUse["type"] === "server_tool_use";
      this.#blocks.set(index, { kind: "call", id, name, input: "", isForeign });
      return [{ type: "tool-input-start", id, toolName: name, ...(isForeign ? { providerExecuted: true } : {}) }];
    }
    if (isObject(toolResult)) {
      this.#blocks.set(index, { kind: "other" });
      return [
        {
          type: "tool-result",
          toolCallId: stringOf(toolResult["toolUseId"]),
          toolName: "tool",
          result: { ...noResult },
        },
      ];
    }
    if (isObject(image))
      this.#blocks.set(index, { kind: "image", mediaType: `image/${stringOf(image["format"])}`, bytes: [] });
    // The first delta of a block of text or thinking shows its kind.
    return [];
  }

  #delta(index: string, { text, toolUse, reasoningContent, image, citation }: Fields): Parts {
    if (typeof text === "string") {
      const begun = this.#begun(index, { kind: "text" });
      return [...begun, { type: "text-delta", id: index, delta: text }];
    }
    const block = this.#blocks.get(index);
    if (isObject(toolUse) && block?.kind === "call") {
      const delta = stringOf(toolUse["input"]);
      block.input += delta;
      return [{ type: "tool-input-delta", id: block.id, delta }];
    }
    if (isObject(reasoningContent)) return this.#thinking(index, reasoningContent);
    if (isObject(image) && block?.kind === "image") {
      const bytes = fieldsOf(image["source"])["bytes"];
      if (typeof bytes === "string") block.bytes.push(bytes);
      return [];
    }
    const { url } = fieldsOf(fieldsOf(fieldsOf(citation)["location"])["web"]);
    if (typeof url !== "string") return [];
    const title = textOf(fieldsOf(citation)["title"]) ?? undefined;
    return [{ type: "source", sourceType: "url", id: url, url, ...(title === undefined ? {} : { title }) }];
  }

  #thinking(index: string, { text, signature, redactedContent, data }: Fields): Parts {
    const redacted = textOf(redactedContent, data);
    const isNew = !this.#blocks.has(index);
    const begun = this.#begun(index, { kind: "thinking", signature: "", redacted: [] });
    const block = this.#blocks.get(index);
    if (block?.kind !== "thinking") return begun;
    block.signature += stringOf(signature);
    if (redacted !== null) block.redacted.push(redacted);
    // The part that begins the block shows that its text is redacted. The data itself is checked when it is complete.
    if (isNew && redacted !== null)
      return [{ type: "reasoning-start", id: index, providerMetadata: { bedrock: { redactedContent: "" } } }];
    if (typeof text !== "string" || text === "") return begun;
    return [...begun, { type: "reasoning-delta", id: index, delta: text }];
  }

  #begun(index: string, block: Block & { kind: "text" | "thinking" }): Parts {
    if (this.#blocks.has(index)) return [];
    this.#blocks.set(index, block);
    return [{ type: block.kind === "text" ? "text-start" : "reasoning-start", id: index }];
  }

  #end(index: string): Parts {
    const block = this.#blocks.get(index);
    this.#blocks.delete(index);
    switch (block?.kind) {
      case "text":
        return [{ type: "text-end", id: index }];
      case "thinking":
        return [{ type: "reasoning-end", id: index, ...dataOf(block) }];
      case "image":
        return [{ type: "file", mediaType: block.mediaType, data: bytesOf(block.bytes) ?? "" }];
      case "call": {
        const { id, name, input, isForeign } = block;
        const executed = isForeign ? { providerExecuted: true } : {};
        return [
          { type: "tool-input-end", id },
          { type: "tool-call", toolCallId: id, toolName: name, input: input === "" ? "{}" : input, ...executed },
        ];
      }
      default:
        return [];
    }
  }
}

/** AWS adds a random number of letters to each event, so that the size of an event does not reveal its text. */
function withoutPadding(event: Fields): Fields {
  return Object.fromEntries(
    Object.entries(event).map(([type, value]) => {
      if (!isObject(value)) return [type, value];
      const { p: _padding, ...fields } = value;
      return [type, fields];
    }),
  );
}

/** The content of a result of a tool that AWS ran: it is in the log, and in no part. */
const noResult = { type: "other" };

function indexOf({ contentBlockIndex }: Fields): string {
  return typeof contentBlockIndex === "number" ? String(contentBlockIndex) : "0";
}

/** The base64 of all pieces; null if it is not base64, which the API would refuse in each later request. */
function bytesOf(pieces: readonly string[]): string | null {
  try {
    const joined = joinBase64(pieces);
    return fromBase64(joined) === null ? null : joined;
  } catch {
    return null;
  }
}

/** The opaque data of thinking, which is sent back with it. */
function dataOf({ signature, redacted }: Extract<Block, { kind: "thinking" }>) {
  const bytes = bytesOf(redacted);
  const data = {
    ...(signature === "" ? {} : { signature }),
    ...(bytes === null || bytes === "" ? {} : { redactedContent: bytes }),
  };
  return Object.keys(data).length === 0 ? {} : { providerMetadata: { bedrock: data } };
}
