// A projection records which messages of a conversation a model request contains: which are dropped, shortened or sent whole. It changes
// only when the conversation is compacted. Between two compactions the same projection is applied to a growing list, so the bytes of the
// sent messages stay the same, and a provider's prompt cache stays valid. Below are the functions that shorten a message: results to a number of lines, old turns to one line, texts
// to a number of tokens. Each is pure and deterministic, so the same message is shortened to the same bytes in each request.
// The stored form of a projection has positions and ids of messages, because indexes change when messages are deleted or no longer read.

import type { Json } from "#contract/json.ts";
import { beginsWith } from "#lib/begins-with.ts";
import { isVisible } from "#lib/visible-text.ts";

import { textTokens } from "../model/estimate-tokens.ts";
import type { ModelMessage } from "../ports/model-port.ts";
import type { StoredPart, StoredProjection } from "../record/record.ts";
import { textOf } from "../record/view.ts";
import { resultText, withMessageText } from "../request/request-messages.ts";

/**
 * Divides a list of messages into parts, in this order: the head (the first messages, which are kept), the dropped messages with a marker
 * in their place, turns that are reduced to one line each (the essence), messages with shortened tool results, and whole messages.
 * `dropped`, `essence` and `shortened` are each the index of the first message after that part.
 */
export interface Projection {
  /** Indexes of the head's messages, which are sent although they come before `dropped`. */
  head: readonly number[];
  /**
   * Index of the last user message if that message is before `dropped` and not in the head: it is sent after the marker, so that a request
   * contains the run's question even if the run's first steps are dropped.
   */
  pinned: number | null;
  dropped: number;
  essence: number;
  shortened: number;
  /** The maximum number of lines of a shortened tool result. */
  lines: number;
  /** Texts of messages before this index are cut to this number of tokens. Null if none is cut. */
  cut: { before: number; tokens: number } | null;
  /** Files of messages before this index are sent as a line of text with their name. */
  files: number;
  /** The number of dropped messages, including those of earlier compactions. */
  count: number;
  /** The summary of the dropped messages; null for none. */
  summary: string | null;
}

/** The projection that sends every message whole. */
export const wholeProjection: Projection = {
  head: [],
  pinned: null,
  dropped: 0,
  essence: 0,
  shortened: 0,
  lines: 0,
  cut: null,
  files: 0,
  count: 0,
  summary: null,
};

/** Messages of a request, and the index of the first one whose files are sent. */
export interface ProjectedMessages {
  messages: ModelMessage[];
  files: number;
  /** Index of the message in place of the dropped ones; null if none are dropped. */
  marker: number | null;
}

/** Applies the projection. Contract: pure. Calls stay together with their results, and no stored message is changed. */
export function project(messages: readonly ModelMessage[], projection: Projection): ProjectedMessages {
  const { head, pinned, dropped, essence, shortened, lines, files, count, summary } = projection;
  const base = (at: number) => cutBase(messages, at, projection);
  const sent: ModelMessage[] = head.flatMap(base);
  const markerAt = count > 0 ? sent.length : null;
  if (count > 0) sent.push(marker(count, summary));
  if (pinned !== null) sent.push(...base(pinned));
  let firstWithFiles: number | null = null;
  for (let at = dropped; at < messages.length;) {
    if (firstWithFiles === null && at >= files) firstWithFiles = sent.length;
    const end = at < essence ? groupEnd(messages, at) : at + 1;
    if (at < essence && messages[at]?.role === "assistant") {
      sent.push(...groupEssence(base(at)));
      at = end;
    }
    const isShortened = at >= essence && at < shortened;
    for (; at < end; at += 1) {
      const message = cutAt(messages, at, projection);
      if (message !== undefined) sent.push(isShortened ? shortenResult(message, lines) : message);
    }
  }
  return { messages: sent, files: firstWithFiles ?? sent.length, marker: markerAt };
}

/** The message at an index, with its texts cut if the projection cuts it. */
export function cutBase(
  messages: readonly ModelMessage[],
  at: number,
  { cut }: Pick<Projection, "cut">,
): ModelMessage[] {
  const message = cutAt(messages, at, { cut });
  return message === undefined ? [] : [message];
}

function cutAt(
  messages: readonly ModelMessage[],
  at: number,
  { cut }: Pick<Projection, "cut">,
): ModelMessage | undefined {
  const message = messages[at];
  return message !== undefined && cut !== null && at < cut.before ? cutMessage(message, cut.tokens) : message;
}

/** The message in place of the dropped ones. It has the role of the user and is not stored. */
export function marker(count: number, summary: string | null): ModelMessage {
  const messages = count === 1 ? "1 earlier message was" : `${count} earlier messages were`;
  const text =
    summary === null
      ? `[... ${messages} removed to fit the context ...]`
      : `[... ${messages} removed to fit the context. Summary of the conversation up to here: ...]\n${summary}`;
  return { id: null, role: "user", parts: [{ type: "text", text }], name: null, tool_call_id: null, result: null };
}

/** An answer with its tool results, reduced to one line. A group that does not begin with an answer is returned unchanged. */
export function groupEssence(group: readonly ModelMessage[]): ModelMessage[] {
  const [first] = group;
  return first?.role === "assistant" ? [turnEssence(first)] : [...group];
}

/** Index after the group that begins at `start`: a message and the tool results that follow it. */
export function groupEnd(messages: readonly ModelMessage[], start: number): number {
  let end = start + 1;
  while (messages[end]?.role === "tool") end += 1;
  return end;
}

/** The maximum number of UTF-8 bytes of an old turn's text (figures.md: Compaction). */
const essenceBytes = 200;

/** The text with at most `maxLines` lines. The marker is one of them, and the lines before it are at most one more than those after it. */
export function shortenLines(text: string, maxLines: number): string {
  const lines = text.split("\n");
  if (lines.length <= maxLines) return text;
  const remaining = Math.max(0, maxLines - 1);
  const tail = Math.floor(remaining / 2);
  const head = remaining - tail;
  const marker = `[... ${lines.length - remaining} lines truncated ...]`;
  return [...lines.slice(0, head), marker, ...lines.slice(lines.length - tail)].join("\n");
}

/** A tool message whose result has at most `maxLines` lines. Other messages are returned unchanged. */
export function shortenResult(message: ModelMessage, maxLines: number): ModelMessage {
  if (message.role !== "tool") return message;
  const text = resultText(message);
  const shortened = shortenLines(text, maxLines);
  return shortened === text ? message : withMessageText(message, shortened);
}

/**
 * An old turn reduced to one line, its essence: the beginning of the answer and the names of the tools that it called. It has the role of
 * the user, so that no call without its result and no second answer in a row is sent.
 */
function turnEssence(answer: ModelMessage): ModelMessage {
  const known = essences.get(answer);
  if (known !== undefined) return known;
  const essence = newEssence(answer);
  essences.set(answer, essence);
  return essence;
}

/** The essences of answers. Each step of a loop sends the same old turns, so the essence of each is made once. */
const essences = new WeakMap<ModelMessage, ModelMessage>();

function newEssence(answer: ModelMessage): ModelMessage {
  const names = answer.parts.flatMap((part) =>
    part.type === "tool_call" || part.type === "provider_tool" ? [part.name] : [],
  );
  return {
    id: answer.id,
    role: "user",
    parts: [{ type: "text", text: essenceLine(textOf(answer.parts) ?? "", names) }],
    name: null,
    tool_call_id: null,
    result: null,
    ...(answer.joined === undefined ? {} : { joined: answer.joined }),
  };
}

/** The line that an answer is reduced to: the beginning of its text, and the names of the tools that it called. */
export function essenceLine(answer: string, calledTools: readonly string[]): string {
  const text = answer.replaceAll(/\s+/g, " ").trim();
  const called = calledTools.length === 0 ? [] : [`called ${[...new Set(calledTools)].join(", ")}`];
  const line = [...(!isVisible(text) ? [] : [beginning(text, essenceBytes)]), ...called].join("; ");
  return `[Summary] ${line === "" ? "An answer without text." : line}`;
}

/** The message with each of its texts, results and call arguments cut to about `tokens` tokens. */
function cutMessage(message: ModelMessage, tokens: number): ModelMessage {
  if (message.role === "tool") {
    const text = resultText(message);
    const cut = cutMiddle(text, tokens);
    return cut === text ? message : withMessageText(message, cut);
  }
  const parts = message.parts.map((part) => cutPart(part, tokens));
  return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
}

/** The beginning and the end of a text of more than `tokens` tokens, around a marker. A shorter text is returned unchanged. */
export function cutMiddle(text: string, tokens: number): string {
  // A character has at most three bytes per UTF-16 unit, so a short text needs no encoding.
  if (text.length * 3 <= tokens * 4 || textTokens(text) <= tokens) return text;
  const bytes = new TextEncoder().encode(text);
  const marker = `\n[... ${bytes.length} bytes, cut to fit the context ...]\n`;
  const remaining = Math.max(0, tokens * 4 - marker.length);
  const head = Math.ceil(remaining / 2);
  const tail = remaining - head;
  return `${decodeWhole(bytes.subarray(0, head))}${marker}${tail === 0 ? "" : decodeWhole(bytes.subarray(-tail))}`;
}

function cutPart(part: StoredPart, tokens: number): StoredPart {
  if (part.type === "text") {
    const text = cutMiddle(part.text, tokens);
    return text === part.text ? part : { type: "text", text };
  }
  if (part.type === "provider_tool") return cutProviderTool(part, tokens);
  if (part.type !== "tool_call") return part;
  const cut = cutStrings(part.arguments, tokens);
  return cut === part.arguments ? part : { ...part, arguments: cut as typeof part.arguments };
}

/** A call of the provider's with its strings cut, and without the data that its provider would receive whole. */
function cutProviderTool(part: Extract<StoredPart, { type: "provider_tool" }>, tokens: number): StoredPart {
  const { provider_data: data, ...call } = part;
  const [input, output] = [cutStrings(call.input, tokens), cutStrings(call.output ?? null, tokens)];
  const isCut = input !== call.input || output !== (call.output ?? null);
  const isLong = isCut || textTokens(JSON.stringify(data?.data ?? null)) > 4 * tokens;
  return isLong ? { ...call, input, ...(call.output === undefined ? {} : { output }) } : part;
}

/** The value with each of its strings cut. Returns the same value if no string is too long. */
export function cutStrings(value: Json, tokens: number): Json {
  if (typeof value === "string") return cutMiddle(value, tokens);
  if (Array.isArray(value)) {
    const items = value.map((item) => cutStrings(item, tokens));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, cutStrings(field, tokens)] as const);
  return entries.every(([key, field]) => field === value[key]) ? value : Object.fromEntries(entries);
}

/** The beginning of a text with at most `limit` UTF-8 bytes. */
function beginning(text: string, limit: number): string {
  // A character has at most three bytes per UTF-16 unit, so a short text needs no encoding.
  if (text.length * 3 <= limit) return text;
  const bytes = new TextEncoder().encode(text.slice(0, limit + 1));
  return bytes.length <= limit ? text : `${decodeWhole(bytes.subarray(0, limit - 3))}…`;
}

/** The text of bytes that may begin and end within a character. */
function decodeWhole(bytes: Uint8Array): string {
  return new TextDecoder()
    .decode(bytes)
    .replace(/^\uFFFD+/, "")
    .replace(/\uFFFD+$/, "");
}

/** A stored message, and its position in the conversation. */
interface PositionedRecord {
  id: string;
  position: string;
}

/** A stored projection, and its indexes in a list of messages. */
export interface IndexedProjection {
  stored: StoredProjection;
  messages: readonly ModelMessage[];
  projection: Projection;
  /** The stored form of that projection, once it was made. It may name other messages than `stored`, if some were deleted. */
  restored: StoredProjection | null;
}

/** The messages of a request with their positions, in order. */
export class PositionedMessages {
  readonly messages: readonly ModelMessage[];
  readonly #records: readonly PositionedRecord[];
  #known: readonly string[] | null = null;
  #last: IndexedProjection | null;

  /**
   * `records` are the stored messages. A message that is not stored gets a position directly after that of the previous message. `last` is
   * the projection that the previous step read.
   */
  constructor(
    messages: readonly ModelMessage[],
    records: readonly PositionedRecord[],
    last: IndexedProjection | null = null,
  ) {
    this.messages = messages;
    this.#records = records;
    this.#last = last;
  }

  /** The projection that was read last; null if none was. */
  get last(): IndexedProjection | null {
    return this.#last;
  }

  /** The projection for these messages. */
  read(stored: StoredProjection): Projection {
    const { messages } = this;
    const last = this.#continued(stored) ?? { stored, projection: this.#indexed(stored), restored: null };
    this.#last = { ...last, messages };
    return last.projection;
  }

  /** The projection that was read last, if its indexes are the same for these messages: messages at the end change no index before them. */
  #continued(stored: StoredProjection): IndexedProjection | null {
    if (this.#last?.stored !== stored) return null;
    const { messages, projection } = this.#last;
    const { dropped, essence, shortened, cut, files } = projection;
    const isWithin = Math.max(dropped, essence, shortened, cut?.before ?? 0, files) < messages.length;
    return isWithin && beginsWith(this.messages, messages) ? this.#last : null;
  }

  #indexed(stored: StoredProjection): Projection {
    const { head, pinned, cut, lines, count, summary } = stored;
    // Each of these positions is usually at or after the one before it, and so is its index.
    const dropped = this.#indexOf(stored.dropped);
    const essence = this.#indexOf(stored.essence, { position: stored.dropped, index: dropped });
    const shortened = this.#indexOf(stored.shortened, { position: stored.essence, index: essence });
    const missing = new Set(pinned === null ? head : [...head, pinned]);
    const indexes = new Map<string, number>();
    for (let at = 0; at < this.messages.length && missing.size > 0; at += 1) {
      const id = this.messages[at]?.id ?? null;
      if (id !== null && missing.delete(id)) indexes.set(id, at);
    }
    const before = (id: string) => {
      const at = indexes.get(id);
      return at === undefined || at >= dropped ? [] : [at];
    };
    return {
      head: head.flatMap(before),
      pinned: pinned === null ? null : (before(pinned)[0] ?? null),
      dropped,
      essence,
      shortened,
      lines,
      cut: cut === null ? null : { before: this.#indexOf(cut.before), tokens: cut.tokens },
      files: this.#indexOf(stored.files),
      count,
      summary,
    };
  }

  /** The stored form of a projection for these messages. */
  store(projection: Projection): StoredProjection {
    if (projection !== this.#last?.projection) return this.#stored(projection);
    this.#last.restored ??= this.#stored(projection);
    return this.#last.restored;
  }

  #stored(projection: Projection): StoredProjection {
    const { head, pinned, dropped, essence, shortened, lines, cut, files, count, summary } = projection;
    return {
      head: head.flatMap((at) => this.messages[at]?.id ?? []),
      pinned: pinned === null ? null : (this.messages[pinned]?.id ?? null),
      dropped: this.#positionAt(dropped),
      essence: this.#positionAt(essence),
      shortened: this.#positionAt(shortened),
      lines,
      cut: cut === null ? null : { before: this.#positionAt(cut.before), tokens: cut.tokens },
      files: this.#positionAt(files),
      count,
      summary,
    };
  }

  /** The positions of all messages. They are needed for stored projections only, so they are made when they are first read. */
  get #positions(): readonly string[] {
    this.#known ??= positionsOf(this.messages, this.#records);
    return this.#known;
  }

  /** The position of the first stored message at or after an index. */
  #positionAt(index: number): string {
    let stored = index;
    while (this.messages[stored]?.id === null) stored += 1;
    return this.#positions[stored] ?? after(this.#positions.at(-1) ?? "");
  }

  /**
   * Index of the first message at or after a position; the number of messages if there is none. `known` is another position with its index.
   */
  #indexOf(position: string, known = { position: "", index: 0 }): number {
    const positions = this.#positions;
    let index = position >= known.position ? known.index : 0;
    while (index < positions.length && (positions[index] ?? "") < position) index += 1;
    return index;
  }
}

function positionsOf(messages: readonly ModelMessage[], records: readonly PositionedRecord[]): string[] {
  const positions: string[] = [];
  let last = "";
  let at = 0;
  let byId: ReadonlyMap<string, string> | null = null;
  for (const { id } of messages) {
    // The messages are in the order of the records, unless a hook changed the order.
    while (id !== null && byId === null && records[at]?.id !== id) {
      at += 1;
      if (at >= records.length) byId = new Map(records.map((record) => [record.id, record.position]));
    }
    const found = id === null ? undefined : byId === null ? records[at]?.position : byId.get(id);
    last = found ?? after(last);
    positions.push(last);
  }
  return positions;
}

/** A position directly after another one. `~` sorts after every character of a position. */
function after(position: string): string {
  return `${position}~`;
}
