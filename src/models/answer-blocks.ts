// The blocks of one answer, as parts. Owns numbering and what is open. Invariants: a block begins with its first content,
// its index is one more than the last one's, a call is told closed once and only when it was, and opaque data of the
// provider rides on the part that ends its block.

import type { LanguageModelV3ToolCall, SharedV3ProviderMetadata } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { ModelPart } from "#core/ports/model-port.ts";
import type { ProviderData } from "#core/record.ts";

import { keptThinking, type ThinkingField } from "./openai-compatible.ts";
import { keptOfResponses } from "./openai-responses.ts";
import type { NetworkProvider, ProviderSettings } from "./provider-settings.ts";

type Kind = "text" | "thinking";
type CallEnd = Extract<ModelPart, { type: "toolcall_end" }>;

interface SpokenBlock {
  kind: Kind;
  /** Null until its first content came. */
  index: number | null;
  data: JsonObject;
}

/** A part of the AI SDK's stream that belongs to a block of text or thinking. */
interface Spoken {
  id: string;
  providerMetadata?: SharedV3ProviderMetadata | undefined;
}

interface CallBlock {
  index: number;
  id: string;
  name: string;
  written: string;
}

/** What the blocks of an answer need to know of their call. */
export interface BlockOptions {
  settings: ProviderSettings;
  /** The model's id at the provider. */
  model: string;
  uniqueId: (id: string) => string;
  /** The package closes every call when the stream ends, cut or not, so its word counts only once the answer finished. */
  closesCallsAtEnd: boolean;
  /** The field that held the thinking, for servers that want it back in the same field; null for other providers. */
  thinkingField: () => ThinkingField | null;
  /** What the model wrote as arguments, where the package may have replaced it. */
  writtenArguments: (callId: string) => string | null;
}

// The names under which a package reports metadata and under which it accepts metadata, where they differ from the provider's
// name. At other servers only the signature of Gemini's thinking is kept.
const metadataNames: Partial<Record<NetworkProvider, readonly [string, string]>> = {
  "openai-responses": ["openai", "openai"],
  "openai-compatible": ["openaiCompatible", "google"],
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The blocks of one answer. Each method returns the parts to tell, in order. */
export class AnswerBlocks {
  readonly #options: BlockOptions;
  readonly #spoken = new Map<string, SpokenBlock>();
  readonly #calls = new Map<string, CallBlock>();
  #held: CallEnd[] = [];
  #next = 0;
  #thinkingCarriesData = false;
  /** Calls told closed. */
  closedCalls = 0;

  constructor(options: BlockOptions) {
    this.#options = options;
  }

  start(kind: Kind, { id, providerMetadata }: Spoken): ModelPart[] {
    const block: SpokenBlock = { kind, index: null, data: {} };
    this.#spoken.set(`${kind}:${id}`, block);
    this.#note(block, providerMetadata);
    return this.#isRedacted(block) ? this.#open(block) : [];
  }

  delta(kind: Kind, { id, delta, providerMetadata }: Spoken & { delta: string }): ModelPart[] {
    const key = `${kind}:${id}`;
    const block = this.#spoken.get(key) ?? { kind, index: null, data: {} };
    this.#spoken.set(key, block);
    this.#note(block, providerMetadata);
    if (delta === "") return [];
    const opened = this.#open(block);
    return [...opened, { type: `${kind}_delta`, index: block.index ?? 0, delta }];
  }

  end(kind: Kind, { id, providerMetadata }: Spoken): ModelPart[] {
    const key = `${kind}:${id}`;
    const block = this.#spoken.get(key);
    if (block === undefined) return [];
    this.#spoken.delete(key);
    this.#note(block, providerMetadata);
    const data = this.#dataOf(kind, block.data, block.index === null);
    if (block.index === null && data === null) return [];
    // A thinking block that ends without text: the provider keeps the text to itself.
    const opened = this.#open(block, kind === "thinking");
    if (kind === "thinking" && data !== null) this.#thinkingCarriesData = true;
    return [
      ...opened,
      { type: `${kind}_end`, index: block.index ?? 0, ...(data === null ? {} : { provider_data: data }) },
    ];
  }

  /** Adds a picture: a block that arrives in one piece. */
  picture(mime_type: string, data: string): ModelPart[] {
    return [...this.#endText(), { type: "picture", index: this.#next++, mime_type, data }];
  }

  startCall(id: string, name: string): ModelPart[] {
    const ended = this.#endText();
    const call = { index: this.#next++, id: this.#options.uniqueId(id), name, written: "" };
    this.#calls.set(id, call);
    return [...ended, { type: "toolcall_start", index: call.index, id: call.id, name }];
  }

  callDelta(id: string, delta: string): ModelPart[] {
    const call = this.#calls.get(id);
    if (call === undefined || delta === "") return [];
    call.written += delta;
    return [{ type: "toolcall_delta", index: call.index, delta }];
  }

  /** The package says that a call is complete. */
  closeCall(told: LanguageModelV3ToolCall): ModelPart[] {
    const parts = this.#calls.has(told.toolCallId) ? [] : this.startCall(told.toolCallId, told.toolName);
    const call = this.#calls.get(told.toolCallId);
    if (call === undefined) return parts;
    const wire = this.#options.writtenArguments(told.toolCallId);
    if (call.written === "" && told.input !== "{}") parts.push(...this.callDelta(told.toolCallId, told.input));
    const text = wire ?? call.written;
    const data = this.#dataOf("toolcall", this.#merge({}, told.providerMetadata), false);
    const end: CallEnd = {
      type: "toolcall_end",
      index: call.index,
      id: call.id,
      name: told.toolName,
      arguments: text,
      ...(data === null ? {} : { provider_data: data }),
    };
    // Text that is no JSON may have been cut by the token limit, which only the end of the answer tells.
    if (this.#options.closesCallsAtEnd || !isJson(text)) this.#held.push(end);
    else parts.push(this.#tellClosed(end));
    return parts;
  }

  /** The answer finished: closes what is open. `cut` says that the token limit ended it. */
  finish(cut: boolean): ModelPart[] {
    const parts = [...this.#spoken.keys()].flatMap((key) => {
      const kind = key.startsWith("text:") ? "text" : "thinking";
      return this.end(kind, { id: key.slice(kind.length + 1) });
    });
    for (const held of this.#held) {
      if (cut && !isJson(held.arguments)) continue;
      parts.push(this.#tellClosed(this.#withoutRepeatedData(held)));
    }
    this.#held = [];
    return parts;
  }

  #tellClosed(end: CallEnd): CallEnd {
    this.closedCalls += 1;
    // Decision 22: `""` arguments mean `{}`.
    return end.arguments.trim() === "" ? { ...end, arguments: "{}" } : end;
  }

  // OpenRouter's package hands the same details to the thinking and to the first call; they are stored once.
  #withoutRepeatedData(end: CallEnd): CallEnd {
    if (this.#options.settings.provider !== "openrouter" || !this.#thinkingCarriesData) return end;
    const { provider_data: _repeated, ...rest } = end;
    return rest;
  }

  #open(block: SpokenBlock, isHidden = false): ModelPart[] {
    if (block.index !== null) return [];
    const ended = block.kind === "thinking" ? this.#endText() : [];
    block.index = this.#next++;
    if (block.kind === "text") return [{ type: "text_start", index: block.index }];
    const redacted = isHidden || this.#isRedacted(block) ? { redacted: true } : {};
    return [...ended, { type: "thinking_start", index: block.index, ...redacted }];
  }

  /** Another block begins, so text that is open ends here; OpenAI's package would end it with the stream. */
  #endText(): ModelPart[] {
    return [...this.#spoken.entries()].flatMap(([key, block]) =>
      block.kind === "text" && block.index !== null ? this.end("text", { id: key.slice("text:".length) }) : [],
    );
  }

  #isRedacted(block: SpokenBlock): boolean {
    const own = block.data[this.#options.settings.provider];
    return typeof own === "object" && own !== null && !Array.isArray(own) && own["redactedData"] !== undefined;
  }

  #note(block: SpokenBlock, metadata: SharedV3ProviderMetadata | undefined): void {
    block.data = this.#merge(block.data, metadata);
  }

  #merge(data: JsonObject, metadata: SharedV3ProviderMetadata | undefined): JsonObject {
    const merged: JsonObject = { ...data };
    for (const [name, value] of Object.entries(metadata ?? {})) {
      const before = merged[name];
      // Metadata is JSON by the package's own contract.
      const now = value as JsonObject;
      merged[name] =
        typeof before === "object" && before !== null && !Array.isArray(before) ? { ...before, ...now } : now;
    }
    return merged;
  }

  /** The metadata stored with a block. `empty`: the block has no text. */
  #dataOf(kind: Kind | "toolcall", data: JsonObject, empty: boolean): ProviderData | null {
    const { settings, thinkingField, model } = this.#options;
    const { provider, owner } = settings;
    const field = kind === "thinking" && !empty ? thinkingField() : null;
    if (field !== null) return { provider: owner, data: keptThinking(field, model) };
    const [toldAs, sentAs] = metadataNames[provider] ?? [provider, provider];
    const own = data[toldAs];
    if (typeof own !== "object" || own === null || Array.isArray(own)) return null;
    const useful = provider === "openai-responses" ? keptOfResponses(kind, own, empty) : own;
    const kept = Object.entries(useful).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
    return kept.length === 0 ? null : { provider: owner, data: { [sentAs]: Object.fromEntries(kept) } };
  }
}
