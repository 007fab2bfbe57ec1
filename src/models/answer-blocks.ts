// Converts the content of one answer to stream parts, block by block. Numbers the blocks and records which are open. Invariants: a block
// begins with its first content, except thinking whose text is not shown; its index is one more than the index of the block before it; a
// tool call is closed at most once, and only if the provider closed it; the part that ends a block contains the provider's opaque data.

import type { LanguageModelV3ToolCall, SharedV3ProviderMetadata } from "@ai-sdk/provider";

import { keptBounds, type Json, type JsonObject } from "#contract/json.ts";
import type { ModelPart } from "#core/ports/model-port.ts";
import type { ProviderData } from "#core/record/record.ts";
import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";
import { isVisible } from "#lib/visible-text.ts";

import {
  metadataUnder,
  type AnsweredBlock,
  type ProviderSettings,
  type ThinkingField,
} from "./provider/provider-profile.ts";

type Kind = "text" | "thinking";
type CallEnd = Extract<ModelPart, { type: "toolcall_end" }>;

interface ContentBlock {
  kind: Kind;
  /** Null before the first content. */
  index: number | null;
  data: JsonObject;
}

/** A part of the AI SDK's stream that belongs to a block of text or thinking. */
interface ContentPart {
  id: string;
  providerMetadata?: SharedV3ProviderMetadata | undefined;
}

interface CallBlock {
  index: number;
  id: string;
  name: string;
  written: string;
}

/** What the conversion needs to know about the model request that is answered. */
export interface BlockOptions {
  settings: ProviderSettings;
  /** The model's id at the provider. */
  model: string;
  uniqueId: (id: string) => string;
  /** The field that last held thinking, in Chat Completions; null if there was none. */
  thinkingField: () => ThinkingField | null;
  /** The arguments of a tool call with the names of the tool. */
  restored: (toolName: string, text: string) => string;
  /** The arguments of a tool call as the model wrote them, for a package that may replace them; null for other packages. */
  writtenArguments: (callId: string) => string | null;
}

/** The value of a text that is JSON within the bounds of what a model writes; undefined for any other text. */
export function parseKept(text: string): Json | undefined {
  try {
    return parseBoundedJson(text, keptBounds) as Json;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  return parseKept(text) !== undefined;
}

/** The blocks of one answer. Each method returns the parts for the reader, in order. */
export class AnswerBlocks {
  readonly #options: BlockOptions;
  readonly #content = new Map<string, ContentBlock>();
  /** The ids of the open blocks of text that were emitted. */
  readonly #openTexts = new Set<string>();
  readonly #calls = new Map<string, CallBlock>();
  #waiting: CallEnd[] = [];
  #next = 0;
  #thinkingCarriesData = false;
  /** The open block of audio. The next piece with the same media type continues it. */
  #audio: { index: number; mimeType: string } | null = null;
  /** Number of closed tool calls. */
  closedCalls = 0;
  #hasVisibleText = false;

  constructor(options: BlockOptions) {
    this.#options = options;
  }

  /** The answer has visible text or calls, and none of its calls is incomplete. Read before `finish`. */
  get isWhole(): boolean {
    const complete = this.closedCalls + this.#waiting.filter((end) => isJson(end.arguments.trim() || "{}")).length;
    return complete === this.#calls.size && (this.#hasVisibleText || complete > 0);
  }

  start(kind: Kind, { id, providerMetadata }: ContentPart): ModelPart[] {
    const block: ContentBlock = { kind, index: null, data: {} };
    this.#content.set(`${kind}:${id}`, block);
    if (kind === "text") this.#openTexts.delete(id);
    this.#addMetadata(block, providerMetadata);
    if (!this.#isRedacted(block)) return [];
    if (kind === "text") this.#openTexts.add(id);
    return this.#open(block);
  }

  /** Starts the text of a structured answer, which the package reports as a tool call. Ends open text first. */
  startAnswer(part: ContentPart): ModelPart[] {
    return [...this.#endText(), ...this.start("text", part)];
  }

  delta(kind: Kind, { id, delta, providerMetadata }: ContentPart & { delta: string }): ModelPart[] {
    const key = `${kind}:${id}`;
    const block = this.#content.get(key) ?? { kind, index: null, data: {} };
    this.#content.set(key, block);
    this.#addMetadata(block, providerMetadata);
    if (delta === "") return [];
    this.#hasVisibleText ||= kind === "text" && isVisible(delta);
    const opened = this.#open(block);
    if (kind === "text") this.#openTexts.add(id);
    return [...opened, { type: `${kind}_delta`, index: block.index ?? 0, delta }];
  }

  end(kind: Kind, { id, providerMetadata }: ContentPart): ModelPart[] {
    const key = `${kind}:${id}`;
    const block = this.#content.get(key);
    if (block === undefined) return [];
    this.#content.delete(key);
    if (kind === "text") this.#openTexts.delete(id);
    this.#addMetadata(block, providerMetadata);
    const data = this.#storedData(kind, block.data, block.index === null);
    if (block.index === null && data === null) return [];
    // A thinking block that ends without text is emitted too: the model was thinking, and the provider does not show the text.
    const opened = this.#open(block, kind === "thinking");
    if (kind === "thinking" && data !== null) this.#thinkingCarriesData = true;
    return [
      ...opened,
      { type: `${kind}_end`, index: block.index ?? 0, ...(data === null ? {} : { provider_data: data }) },
    ];
  }

  /**
   * Adds a piece of generated media, in base64. Audio pieces of one type that follow each other are one block; an image or a video is a
   * block of its own.
   */
  media(mime_type: string, delta: string): ModelPart[] {
    if (delta === "") return [];
    const isAudio = mime_type.startsWith("audio/");
    if (isAudio && this.#audio?.mimeType === mime_type)
      return [{ type: "media_delta", index: this.#audio.index, delta }];
    // A spoken answer sends its transcript between the pieces of its audio, so audio does not end the text.
    const ended = isAudio ? this.#endAudio() : this.#endText();
    const index = this.#next++;
    const begun: ModelPart[] = [
      { type: "media_start", index, mime_type },
      { type: "media_delta", index, delta },
    ];
    if (!isAudio) return [...ended, ...begun, { type: "media_end", index }];
    this.#audio = { index, mimeType: mime_type };
    return [...ended, ...begun];
  }

  #endAudio(): ModelPart[] {
    const audio = this.#audio;
    this.#audio = null;
    return audio === null ? [] : [{ type: "media_end", index: audio.index }];
  }

  /** The number of blocks so far. */
  get count(): number {
    return this.#next;
  }

  /** Begins a block that is neither text, thinking, media nor a call. `ended` are the ends of open text. */
  beginOther(): { ended: ModelPart[]; index: number } {
    const ended = this.#endText();
    const index = this.#next++;
    return { ended, index };
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

  /** Closes a tool call that the provider's package reports as complete. */
  closeCall(reported: LanguageModelV3ToolCall): ModelPart[] {
    const parts = this.#calls.has(reported.toolCallId) ? [] : this.startCall(reported.toolCallId, reported.toolName);
    const call = this.#calls.get(reported.toolCallId);
    if (call === undefined) return parts;
    const wire = this.#options.writtenArguments(reported.toolCallId);
    if (call.written === "" && reported.input !== "{}")
      parts.push(...this.callDelta(reported.toolCallId, reported.input));
    const text = this.#options.restored(reported.toolName, wire ?? call.written);
    const data = this.#storedData("toolcall", this.#merge({}, reported.providerMetadata), false);
    const end: CallEnd = {
      type: "toolcall_end",
      index: call.index,
      id: call.id,
      name: reported.toolName,
      arguments: text,
      ...(data === null ? {} : { provider_data: data }),
    };
    // Arguments that are not JSON may be cut by the token limit. Only the end of the answer shows that.
    if (this.#options.settings.profile.closesCallsAtEnd || !isJson(text)) this.#waiting.push(end);
    else parts.push(this.#closed(end));
    return parts;
  }

  /** Closes the open blocks of a finished answer. `cut`: the answer may end inside a tool call. */
  finish(cut: boolean): ModelPart[] {
    const parts = [...this.#content.keys()].flatMap((key) => {
      const kind = key.startsWith("text:") ? "text" : "thinking";
      return this.end(kind, { id: key.slice(kind.length + 1) });
    });
    parts.push(...this.#endAudio());
    for (const end of this.#waiting) {
      if (cut && !isJson(end.arguments)) continue;
      parts.push(this.#closed(this.#withoutRepeatedData(end)));
    }
    this.#waiting = [];
    return parts;
  }

  #closed(end: CallEnd): CallEnd {
    this.closedCalls += 1;
    // Decision 22: `""` arguments mean `{}`.
    return end.arguments.trim() === "" ? { ...end, arguments: "{}" } : end;
  }

  #withoutRepeatedData(end: CallEnd): CallEnd {
    if (this.#options.settings.profile.repeatsThinkingData !== true || !this.#thinkingCarriesData) return end;
    const { provider_data: _repeated, ...rest } = end;
    return rest;
  }

  #open(block: ContentBlock, isHidden = false): ModelPart[] {
    if (block.index !== null) return [];
    const ended = block.kind === "thinking" ? this.#endText() : [];
    block.index = this.#next++;
    if (block.kind === "text") return [{ type: "text_start", index: block.index }];
    const redacted = isHidden || this.#isRedacted(block) ? { redacted: true } : {};
    return [...ended, { type: "thinking_start", index: block.index, ...redacted }];
  }

  /** Ends open text, because another block begins. OpenAI's package ends text only with the stream. */
  #endText(): ModelPart[] {
    return [...this.#openTexts].flatMap((id) => this.end("text", { id }));
  }

  #isRedacted(block: ContentBlock): boolean {
    return this.#options.settings.profile.isRedacted?.(block.data) ?? false;
  }

  #addMetadata(block: ContentBlock, metadata: SharedV3ProviderMetadata | undefined): void {
    block.data = this.#merge(block.data, metadata);
  }

  #merge(data: JsonObject, metadata: SharedV3ProviderMetadata | undefined): JsonObject {
    const merged: JsonObject = { ...data };
    for (const [name, value] of Object.entries(metadata ?? {})) {
      const before = merged[name];
      // The metadata is JSON: the AI SDK's provider packages guarantee it.
      const now = value as JsonObject;
      merged[name] =
        typeof before === "object" && before !== null && !Array.isArray(before) ? { ...before, ...now } : now;
    }
    return merged;
  }

  /** The opaque data stored with a block. `empty`: the block has no text. */
  #storedData(kind: AnsweredBlock["kind"], metadata: JsonObject, empty: boolean): ProviderData | null {
    const { settings, thinkingField, model } = this.#options;
    const { profile, owner } = settings;
    const block = { kind, metadata, empty, thinkingField: thinkingField(), model };
    const data =
      profile.storedData === undefined
        ? metadataUnder(metadata, { reported: profile.name })
        : profile.storedData(block);
    return data === null ? null : { provider: owner, data };
  }
}
