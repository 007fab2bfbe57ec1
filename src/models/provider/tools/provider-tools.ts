// The tools of one request that the provider executes itself. Adds them to the request, reads their calls and results from the answer's chunks, and sends
// the blocks of earlier answers back. Invariants: what is shown of a call is bounded; a block is sent only to the provider that created it, once, and a
// call that needs a result only with its result; everything else is sent as text.

import type { Json, JsonObject } from "#contract/json.ts";
import type { ModelMessage, ModelPart, ModelRequest, ProviderTool } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { fromBase64 } from "#lib/base64.ts";
import { cutText, jsonBytes } from "#lib/cut-text.ts";
import { fieldsOf, isObject, textOrJson, type Fields } from "#lib/json-value.ts";
import { parseBoundedOrNull } from "#lib/untrusted/bounded-json.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";
import type { ModelProviderTool } from "#spec/index.ts";

import type { AnswerBlocks } from "../../answer-blocks.ts";
import { assertFew, mostInAnswer } from "../../answer-bounds.ts";
import type { CallTarget, ProviderToolProtocol } from "../provider-profile.ts";
import { claudeTools } from "./claude-tools.ts";
import { converseTools } from "./converse-tools.ts";
import { googleTools, vertexTools } from "./gemini-tools.ts";
import { openrouterPlugins } from "./openrouter-plugins.ts";
import { responsesTools } from "./responses-tools.ts";
import { mostStored, type ToolEvent, type ToolReader, type ToolWire } from "./tool-wire.ts";

type Fetch = typeof globalThis.fetch;
type StoredTool = Extract<StoredPart, { type: "provider_tool" }>;

const wires: Readonly<Record<ProviderToolProtocol, ToolWire>> = {
  claude: claudeTools,
  "vertex-claude": claudeTools,
  responses: responsesTools,
  gemini: googleTools,
  "vertex-gemini": vertexTools,
  converse: converseTools,
  openrouter: openrouterPlugins,
};

/** The most bytes of an input or a result that is shown. */
const mostShown = 16 * 1024;
const bounds = { values: 20_000, depth: 64 };
const longestName = 200;

/** The JSON of a value without what only the provider can read: encrypted content, and the bytes of documents. */
function shownJson(value: unknown): string {
  const replacer = (key: string, inner: unknown): unknown => {
    if (key.startsWith("encrypted_")) return undefined;
    const isLongData = key === "data" && typeof inner === "string" && inner.length > mostShown;
    return isLongData ? `[${inner.length} characters]` : inner;
  };
  return (JSON.stringify(value, replacer) as string | undefined) ?? "null";
}

/** A value as it is shown and stored. One that is too long becomes the beginning of its JSON. */
function shown(value: unknown): Json {
  try {
    const json = typeof value === "string" ? value : shownJson(value);
    if (typeof value === "string" || jsonBytes(json) > mostShown) return cutText(json, mostShown);
    return (parseBoundedOrNull(json, bounds) ?? (json === "null" ? null : cutText(json, mostShown))) as Json;
  } catch {
    return "[nested too deeply to be shown]";
  }
}

/** Blocks in the form in which they are stored; null if they are too long or nested too deeply. */
function stored(data: Fields): JsonObject | null {
  try {
    const json = JSON.stringify(data);
    const isShort = json.length <= mostStored && jsonBytes(data) <= mostStored;
    return isShort ? (parseBoundedOrNull(json, bounds) as JsonObject | null) : null;
  } catch {
    return null;
  }
}

interface OpenTool {
  index: number;
  tool: ProviderTool;
  call: Fields | undefined;
}

/** What a request sends in place of a part: texts that stand for the blocks of the call and of its result. */
export interface SentTool {
  call?: string;
  result?: string;
  /** The number of blocks between the call and its result. */
  after: number;
}

/** The tools of the provider in one request. */
export class ProviderTools {
  readonly #wire: ToolWire;
  readonly #target: CallTarget;
  /** The owner of blocks: their content may be encrypted for one service and its protocol. */
  readonly #owner: string;
  readonly #tools: readonly ModelProviderTool[];
  readonly #reader: ToolReader;
  /** The calls without a result, and all calls of the answer, by the provider's id. */
  readonly #open = new Map<string, OpenTool>();
  readonly #ids = new Set<string>();
  #waiting: ToolEvent[] = [];
  /** The blocks of earlier answers, by the texts that stand for them. */
  readonly #blocks = new Map<string, Fields>();
  readonly #nonce = crypto.randomUUID();
  readonly #sent = new Set<string>();
  /** The ids of calls whose result is in a later answer or may still arrive. */
  readonly #awaited: ReadonlySet<string>;
  readonly warnings: string[] = [];

  /** Throws nothing. A tool whose name a function of the request has is left out. */
  constructor(protocol: ProviderToolProtocol, request: ModelRequest, target: CallTarget) {
    this.#wire = wires[protocol];
    this.#target = target;
    this.#owner = `${protocol} ${target.to.owner}`;
    const { nameOf, refusal, createReader } = this.#wire;
    const functions = new Set(request.tools.map(({ name }) => name));
    const refused = refusal?.(target, functions.size > 0) ?? null;
    if (refused !== null) this.warnings.push(refused);
    this.#tools = (refused === null ? (request.model.providerTools ?? []) : []).filter((tool) => {
      const isTaken = nameOf !== undefined && functions.has(nameOf(tool));
      if (isTaken)
        this.warnings.push(`The provider's tool "${tool.type}" was left out: a tool of the agent has its name.`);
      return !isTaken;
    });
    this.#reader = createReader();
    this.#awaited = awaitedIds(request.messages);
  }

  /** Creates the fetch that adds the tools and the blocks to each request. */
  fetch(inner: Fetch): Fetch {
    if (this.#tools.length === 0) return inner;
    const send = (input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
      const body: unknown = typeof init?.body === "string" ? parseOwnJson(init.body) : null;
      if (!isObject(body)) return inner(input, init);
      const whole = this.#wire.addTools(body, this.#tools, this.#target);
      const sent = this.#wire.replaceTexts(whole, (text) => this.#blockOf(text));
      return inner(input, { ...init, headers: this.#headers(init?.headers), body: JSON.stringify(sent) });
    };
    return send as Fetch;
  }

  #blockOf(text: unknown): Fields[] | undefined {
    const block = typeof text === "string" ? this.#blocks.get(text) : undefined;
    return block === undefined ? undefined : [block];
  }

  #headers(given: RequestInit["headers"]): Headers {
    const headers = new Headers(given);
    const betas = this.#wire.betas?.(this.#tools) ?? [];
    const known = headers.get("anthropic-beta")?.split(",") ?? [];
    const all = new Set([...known.map((beta) => beta.trim()), ...betas]);
    if (betas.length > 0) headers.set("anthropic-beta", [...all].join(","));
    return headers;
  }

  /** What is sent in place of a part; null if the part has to be sent as text. */
  sent({ provider_data: own }: StoredTool): SentTool | null {
    if (own === undefined || own.provider !== this.#owner || this.#tools.length === 0) return null;
    const { id, call, result, after } = own.data;
    const blocks = [call, result].filter((block) => block !== undefined);
    if (!blocks.every((block) => isObject(block) && this.#wire.isBlock(block))) return null;
    if (blocks.length === 0) return { after: 0 };
    const key = textOrJson(id);
    const isWhole = !this.#wire.needsResult || blocks.length === 2;
    if (!isWhole && !this.#awaited.has(key)) return null;
    const [callKey, resultKey] = [`call ${key}`, `result ${key}`];
    if ((call !== undefined && this.#sent.has(callKey)) || (result !== undefined && this.#sent.has(resultKey)))
      return null;
    // A result is preceded by its call.
    if (call === undefined && !this.#sent.has(callKey)) return null;
    if (call !== undefined) this.#sent.add(callKey);
    if (result !== undefined) this.#sent.add(resultKey);
    return {
      ...(call === undefined ? {} : { call: this.#standIn(fieldsOf(call)) }),
      ...(result === undefined ? {} : { result: this.#standIn(fieldsOf(result)) }),
      after: typeof after === "number" ? after : 0,
    };
  }

  /** A text that stands for a block in the prompt of the package, and that no message can have. */
  #standIn(block: Fields): string {
    const text = `block ${this.#blocks.size} ${this.#nonce}`;
    this.#blocks.set(text, block);
    return text;
  }

  /** Reads a chunk. */
  read(chunk: Fields, blocks: AnswerBlocks): ModelPart[] {
    const before = this.#flush(blocks);
    this.#waiting = this.#reader.read(chunk);
    // Events without a part of the package come first, in the position of their chunk.
    return this.#waiting[0]?.isOrdered === true ? before : [...before, ...this.#flush(blocks)];
  }

  /** Reads the next event of the last chunk, when the package has a part for it. */
  next(blocks: AnswerBlocks): ModelPart[] {
    const event = this.#waiting.shift();
    return event === undefined ? [] : this.#take(event, blocks);
  }

  #flush(blocks: AnswerBlocks): ModelPart[] {
    return this.#waiting.splice(0).flatMap((event) => this.#take(event, blocks));
  }

  /** Ends the calls of a complete answer. */
  finish(blocks: AnswerBlocks): ModelPart[] {
    const parts = this.#flush(blocks);
    for (const event of this.#reader.end?.() ?? []) parts.push(...this.#take(event, blocks));
    // The provider continues such a call in its next answer, after the results of other calls.
    for (const [id, open] of this.#open) {
      const data = open.call === undefined ? null : stored({ id, call: open.call });
      parts.push(this.#ended(open, data));
    }
    this.#open.clear();
    return parts;
  }

  /** The pages of an event, as they are cited. */
  sources: (source: { url?: unknown; title?: unknown }) => void = () => undefined;

  #take(event: ToolEvent, blocks: AnswerBlocks): ModelPart[] {
    for (const source of event.sources ?? []) this.sources(source);
    if (event.type === "begin") return this.#begin(event, blocks);
    const known = this.#open.get(event.id);
    const begun = known === undefined ? this.#begin(event, blocks) : [];
    const open = this.#open.get(event.id);
    if (open === undefined) return begun;
    this.#open.delete(event.id);
    const { input, output, isError, call = open.call, result, image } = event;
    open.tool = {
      ...open.tool,
      ...(input === undefined ? {} : { input: shown(input) }),
      output: shown(output ?? null),
      ...(isError === true ? { is_error: true as const } : {}),
    };
    const after = blocks.count - open.index - 1;
    const data = { id: event.id, ...(call && { call }), ...(result && { result }), ...(after > 0 && { after }) };
    const isRepeated = open.tool.id !== event.id;
    const ended = this.#ended(open, isRepeated || image !== undefined ? null : stored(data));
    const isImage = image !== undefined && /^image\/[\w.+-]+$/.test(image.mimeType) && fromBase64(image.data) !== null;
    return [...begun, ended, ...(isImage ? blocks.media(image.mimeType, image.data) : [])];
  }

  #begin({ id, name = "", input, call }: ToolEvent, blocks: AnswerBlocks): ModelPart[] {
    const { ended, index } = blocks.beginOther();
    let unique = id;
    for (let at = 2; this.#ids.has(unique); at += 1) unique = `${id}_${at}`;
    this.#ids.add(unique);
    assertFew(this.#ids.size, "an answer with too many calls of the provider's tools", mostInAnswer);
    const tool = { id: unique.slice(0, longestName), name: name.slice(0, longestName), input: shown(input ?? {}) };
    const before = this.#open.get(id);
    // A repeated id is another call. The result belongs to the last call with its id.
    const lost = before === undefined ? [] : [this.#ended(before, null)];
    this.#open.set(id, { index, tool, call });
    return [...ended, ...lost, { type: "provider_tool_start", index, tool }];
  }

  #ended({ index, tool }: OpenTool, data: JsonObject | null): ModelPart {
    const owned = data === null ? {} : { provider_data: { provider: this.#owner, data } };
    return { type: "provider_tool_end", index, tool, ...owned };
  }
}

/**
 * The ids of calls without a result in their answer whose result is in a later answer, or may still arrive: the last answer waits for the results of
 * other calls.
 */
function awaitedIds(messages: readonly ModelMessage[]): Set<string> {
  const ids = new Set<string>();
  const last = messages.findLast(({ role }) => role === "assistant");
  for (const message of messages) {
    const isWaiting = message === last && message.parts.some(({ type }) => type === "tool_call");
    for (const part of message.parts) {
      const { id, call, result } = part.type === "provider_tool" ? (part.provider_data?.data ?? {}) : {};
      const isOrphan = result !== undefined && call === undefined;
      const isPending = result === undefined && call !== undefined && isWaiting;
      if (isOrphan || isPending) ids.add(textOrJson(id));
    }
  }
  return ids;
}
