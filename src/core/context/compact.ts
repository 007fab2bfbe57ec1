// Compacts a conversation so that it fits a number of tokens. Each of three levels removes more than the one before, and is used only if
// the one before is not enough: long tool results of old messages are shortened, old turns become one line, the oldest messages are
// dropped. If a summary is made, old turns are dropped at once. If the newest messages alone do not fit, their texts are cut. Tokens are
// estimated before files are loaded: a file counts by its stored size, or as the line of text that is sent in its place.

import { isTextType } from "#lib/text-type.ts";

import { messageTokens, tokensOf } from "../model/estimate-tokens.ts";
import type { ModelMessage } from "../ports/model-port.ts";
import { partOf } from "../record/attachment-view.ts";
import type { StoredPart } from "../record/record.ts";
import { cutBase, groupEnd, groupEssence, marker, project, shortenResult } from "./projection.ts";
import type { Projection } from "./projection.ts";

/** How a conversation is compacted. */
export interface CompactOptions {
  /** The maximum number of tokens of the messages afterwards. */
  target: number;
  /** The number of messages at the beginning that are kept. They are dropped too if the newest ones do not fit otherwise. */
  keepFirst: number;
  /** The number of messages at the end that are kept unchanged, if they fit. */
  keepRecent: number;
  /** The maximum number of lines of the tool results of older messages. */
  toolOutputMaxLines: number;
  /** The number of messages at the end whose files are sent. */
  recentFiles: number;
  /** Tokens for a summary of all messages but the first and the recent ones. Null: no summary is made. */
  summaryTokens: number | null;
}

/** The least tokens that a cut text keeps. */
const leastCut = 32;

/** The share of the target's tokens that the messages at the beginning may use. */
const headShare = 0.25;

/** Tokens of the messages as the projection sends them. */
export function projectedTokens(messages: readonly ModelMessage[], projection: Projection): number {
  const { messages: sent, files } = project(messages, projection);
  return sent.reduce((sum, message, at) => sum + contextTokens(message, at >= files), 0);
}

/**
 * Returns the projection that fits the target and loses least, or null if none fits. `previous` is the projection so far: messages that it
 * drops or shortens remain dropped or shortened. Contract: pure and deterministic.
 */
export function compact(
  messages: readonly ModelMessage[],
  previous: Projection,
  options: CompactOptions,
): Projection | null {
  const { target, keepFirst, keepRecent, toolOutputMaxLines: lines, recentFiles, summaryTokens } = options;
  const starts = groupStarts(messages, previous.dropped);
  // The messages after the dropped ones do not begin with an answer, because two answers in a row would be joined. Answers after the last
  // user message are possible, because that message is sent before them.
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const turns = starts.filter((start) => messages[start]?.role !== "assistant" || start > lastUser);
  const recent = startBefore(starts, messages.length - keepRecent, previous.dropped);
  const head = previous.count > 0 ? previous.head : headOf(messages, { keepFirst, recent, tokens: target * headShare });
  const files = Math.max(previous.files, messages.length - recentFiles);
  const begun: Projection = { ...previous, head, lines, files };
  const dropTo = dropsBefore(lastUser, { head, previous });

  const shortened = { ...begun, head: previous.head, shortened: Math.max(begun.shortened, recent) };
  const essence = { ...shortened, essence: Math.max(begun.essence, recent) };
  const old = startBefore(turns, messages.length - keepRecent, previous.dropped);
  const summarized = summaryTokens === null || old <= head.length ? null : dropTo(shortened, old);
  if (summarized === null) {
    for (const level of [shortened, essence]) if (new Sizes(messages, level, target).fits(level)) return level;
  }
  // From here on messages are dropped. If a summary is made, it replaces the previous one, and its share of the target is reserved.
  const remaining = target - (summaryTokens ?? 0);
  const from = { ...(summarized ?? essence), summary: summaryTokens === null ? previous.summary : null };
  const sizes = new Sizes(messages, from, remaining);
  for (const start of turns) {
    const dropped = dropTo(from, start);
    if (start >= from.dropped && sizes.fits(dropped)) return dropped;
  }
  return cutTexts(messages, dropTo(from, turns.at(-1) ?? 0), remaining);
}

/** Returns a function that makes a projection without the messages before an index, except the head and the last user message. */
function dropsBefore(
  lastUser: number,
  { head, previous }: { head: readonly number[]; previous: Projection },
): (from: Projection, dropped: number) => Projection {
  return (from, dropped) => {
    if (dropped <= Math.max(previous.dropped, previous.count === 0 ? head.length : 0)) return from;
    const pinned = lastUser >= head.length && lastUser < dropped ? lastUser : null;
    const kept = previous.count === 0 ? head.length : 0;
    const unpinned = previous.pinned !== null && previous.pinned !== pinned ? 1 : 0;
    const newlyPinned = pinned !== null && pinned >= previous.dropped ? 1 : 0;
    const count = previous.count + dropped - previous.dropped - kept + unpinned - newlyPinned;
    if (count === 0) return from;
    const moved = (index: number) => Math.max(index, dropped);
    return {
      ...from,
      head,
      pinned,
      count,
      dropped,
      essence: moved(from.essence),
      shortened: moved(from.shortened),
      files: moved(from.files),
    };
  };
}

/**
 * Drops the head, then the files, then cuts all texts, to half as many tokens each time, until they fit. Returns null if they do not fit
 * with `leastCut` tokens.
 */
function cutTexts(messages: readonly ModelMessage[], remaining: Projection, target: number): Projection | null {
  const { head, count } = remaining;
  const withoutHead: Projection = count === 0 ? remaining : { ...remaining, head: [], count: count + head.length };
  const withoutFiles = { ...withoutHead, files: messages.length };
  for (const projection of [withoutHead, withoutFiles]) {
    if (projectedTokens(messages, projection) <= target) return projection;
  }
  for (let tokens = Math.floor(target / 2); tokens >= leastCut; tokens = Math.floor(tokens / 2)) {
    const cut = { ...withoutFiles, cut: { before: messages.length, tokens } };
    if (projectedTokens(messages, cut) <= target) return cut;
  }
  return null;
}

/** The first messages that stay: whole groups of at most `keepFirst` messages before the recent ones, with at most `tokens`. */
function headOf(
  messages: readonly ModelMessage[],
  { keepFirst, recent, tokens }: { keepFirst: number; recent: number; tokens: number },
): number[] {
  let end = 0;
  let sum = 0;
  while (end < messages.length) {
    const next = groupEnd(messages, end);
    if (next > Math.min(keepFirst, recent)) break;
    for (const message of messages.slice(end, next)) sum += contextTokens(message, false);
    if (sum > tokens) break;
    end = next;
  }
  return Array.from({ length: end }, (_, at) => at);
}

/** Indexes from `from` on at which a group begins: every message but a tool result. */
function groupStarts(messages: readonly ModelMessage[], from: number): number[] {
  return messages.flatMap(({ role }, at) => (at >= from && role !== "tool" ? [at] : []));
}

/** The last of the starts at or before an index; `least` if there is none. */
function startBefore(starts: readonly number[], index: number, least: number): number {
  return starts.findLast((start) => start <= index) ?? least;
}

/**
 * Sums of tokens from the end of the list, up to the first message that exceeds the target. The work is therefore bounded by the target,
 * not by the length of the conversation.
 */
class Sizes {
  readonly #messages: readonly ModelMessage[];
  readonly #from: Projection;
  readonly #target: number;
  /** By index, the tokens of the messages from there to the end, as the projection sends them. Undefined if they exceed the target. */
  readonly #after: number[] = [];

  constructor(messages: readonly ModelMessage[], from: Projection, target: number) {
    this.#messages = messages;
    this.#from = from;
    this.#target = target;
    let after = 0;
    this.#after[messages.length] = 0;
    for (let at = messages.length - 1; at >= from.dropped && after <= target; at -= 1) {
      after += this.#sent(at);
      if (after <= target) this.#after[at] = after;
    }
  }

  /** Whether a projection fits. It may differ from the constructor's in head, pinned message, count, summary and `dropped` alone. */
  fits({ head, pinned, dropped, count, summary }: Projection): boolean {
    const after = this.#after[dropped];
    if (after === undefined) return false;
    const kept = [...head, ...(pinned === null ? [] : [pinned])];
    const ofKept = kept.reduce((total, at) => total + sum(cutBase(this.#messages, at, this.#from), false), 0);
    return ofKept + (count === 0 ? 0 : contextTokens(marker(count, summary), false)) + after <= this.#target;
  }

  /** The tokens that the message adds to a request. The one line that replaces a group counts at the group's first message. */
  #sent(at: number): number {
    const { essence, shortened, lines, files } = this.#from;
    const base = cutBase(this.#messages, at, this.#from);
    if (at >= shortened) return sum(base, at >= files);
    if (at >= essence)
      return sum(
        base.map((message) => shortenResult(message, lines)),
        at >= files,
      );
    if (base[0]?.role === "tool") return 0;
    return sum(groupEssence(base), at >= files);
  }
}

function sum(messages: readonly ModelMessage[], files: boolean): number {
  return messages.reduce((total, message) => total + contextTokens(message, files), 0);
}

/** Tokens of the line that names a file. */
const lineTokens = 30;

/** The maximum number of bytes of a text file that is sent as text (`attachment-budget.ts`). */
const textFileBytes = 64 * 1024;

/** Estimated tokens of a message. If `files` is false, its files are sent as a line of text with their name. */
export function contextTokens(message: ModelMessage, files: boolean): number {
  const ofPart = files ? withSentFiles : withNamedFiles;
  const tokens = messageTokens(message, ofPart);
  const attached = message.role === "tool" ? message.result?.attachments : undefined;
  if (attached === undefined) return tokens;
  return attached.reduce((sum, reference) => sum + ofPart(partOf(reference)), tokens);
}

/** Counts the tokens of each message of a request. A message that is unchanged since the previous request is not counted again. */
export class TokenEstimates {
  #messages: readonly ModelMessage[] = [];
  #files = 0;
  #tokens: readonly number[] = [];

  /** `files` is the index of the first message whose files are sent. */
  of(messages: readonly ModelMessage[], files: number): readonly number[] {
    const [before, filesBefore, counted] = [this.#messages, this.#files, this.#tokens];
    const tokens: number[] = [];
    for (let at = 0; at < messages.length; at += 1) {
      const message = messages[at] as ModelMessage;
      const isSame = at < before.length && before[at] === message && at >= files === at >= filesBefore;
      tokens.push(isSame ? (counted[at] as number) : contextTokens(message, at >= files));
    }
    this.#messages = messages;
    this.#files = files;
    this.#tokens = tokens;
    return tokens;
  }
}

/** Tokens of a part whose file is sent. */
const withSentFiles = (part: StoredPart) => (isFile(part) ? fileTokens(part, true) : tokensOf(part));

/** Tokens of a part whose file is sent as a line of text. */
const withNamedFiles = (part: StoredPart) => (isFile(part) ? fileTokens(part, false) : tokensOf(part));

function isFile(part: StoredPart): part is Extract<StoredPart, { type: "image" | "file" }> {
  return part.type === "image" || part.type === "file";
}

function fileTokens(part: Extract<StoredPart, { type: "image" | "file" }>, sent: boolean): number {
  if (!sent) return lineTokens;
  if (part.data !== undefined) return tokensOf(part);
  const { size = 0, mime_type } = part;
  if (isTextType(mime_type)) return lineTokens + (size <= textFileBytes ? Math.ceil(size / 4) : 0);
  return lineTokens + Math.min(Math.max(Math.floor(size / 750), 85), 16_000);
}
