// The levels of compaction of phi-core's document, over a list of messages of any type: tool results are shortened, old turns become one
// line, the middle is dropped, and at last only the newest messages are kept. Calls and their results stay together at each level, the
// markers count in the budget, and the order of the messages stays. Every function is pure. Threads compact by `compact.ts`, which keeps a
// projection in place of a list.

/** How the levels read and rewrite messages of one type. Contract: every function is pure. */
export interface LevelMessages<M> {
  /** A message of the role `other` is never sent to a model. */
  role: (message: M) => "user" | "assistant" | "tool" | "other";
  /** The ids of an answer's calls. */
  calls: (message: M) => readonly string[];
  /** The id of the call whose result the message is; null for a message that is no result. */
  resultOf: (message: M) => string | null;
  /** A whole number. */
  tokens: (message: M) => number;
  /** The tool message with at most `maxLines` lines in each text. */
  shorten: (message: M, maxLines: number) => M;
  /** The user message in place of an old answer and its results. Null if the answer is never sent. */
  essence: (answer: M) => M | null;
  /** The message with each text cut to about `tokens` tokens. With 0, it has as few tokens as possible. */
  cut: (message: M, tokens: number) => M;
  /** A user message in place of removed ones. `removed` is the last of them. */
  marker: (text: string, removed: M) => M;
}

/** How a list is compacted. */
export interface LevelOptions {
  /** The maximum number of tokens afterwards. */
  budget: number;
  /**
   * The number of tokens at which no further level is applied, at most `budget`. A list above it that fits the budget is returned only if no
   * level reaches it without dropping kept messages.
   */
  target: number;
  /** The number of messages that stay at the beginning; fewer if the last of them is a call whose result does not stay. */
  keepFirst: number;
  /** The number of messages that stay at the end; more if the first of them is the result of an earlier call. */
  keepRecent: number;
  /** The maximum number of lines of a text of a tool result. */
  maxLines: number;
}

/** Applies the levels in order until the list fits. A list within the budget is returned unchanged. */
export function compactByLevels<M extends object>(
  messages: readonly M[],
  { budget, target, keepFirst, keepRecent, maxLines }: LevelOptions,
  type: LevelMessages<M>,
): readonly M[] {
  if (fits(messages, budget, type)) return messages;
  const shortened = shortenResults(messages, maxLines, type);
  if (fits(shortened, target, type)) return shortened;
  const summarized = summarizeOldTurns(shortened, keepRecent, type);
  if (fits(summarized, target, type)) return summarized;
  const split = splitMiddle(summarized, { keepFirst, keepRecent }, type);
  const levels = split === null ? [summarized, shortened] : [split.messages, summarized, shortened];
  if (split !== null && fits(split.messages, target, type)) return split.messages;
  const fitting = levels.find((level) => fits(level, budget, type));
  if (fitting !== undefined) return fitting;
  return split === null ? keepWithinBudget(summarized, target, type) : keepNewest(split, target, type);
}

/** Level 1: tool results with at most `maxLines` lines in each text. */
export function shortenResults<M>(messages: readonly M[], maxLines: number, type: LevelMessages<M>): readonly M[] {
  return messages.map((message) => (type.role(message) === "tool" ? type.shorten(message, maxLines) : message));
}

/** Level 2: each answer before the last `keepRecent` messages becomes one line, without its results. */
export function summarizeOldTurns<M>(messages: readonly M[], keepRecent: number, type: LevelMessages<M>): readonly M[] {
  const boundary = recentStart(messages, keepRecent, type);
  const old = messages.slice(0, boundary).flatMap((message): M[] => {
    const role = type.role(message);
    if (role === "tool") return [];
    return role === "assistant" ? listOf(type.essence(message)) : [message];
  });
  return boundary === 0 ? messages : [...old, ...messages.slice(boundary)];
}

/** Level 3: a marker in place of the messages between the first and the recent ones; if that is too much, the newest messages. */
export function dropMiddle<M extends object>(
  messages: readonly M[],
  { budget, keepFirst, keepRecent }: Pick<LevelOptions, "budget" | "keepFirst" | "keepRecent">,
  type: LevelMessages<M>,
): readonly M[] {
  const split = splitMiddle(messages, { keepFirst, keepRecent }, type);
  if (split === null) return keepWithinBudget(messages, budget, type);
  return fits(split.messages, budget, type) ? split.messages : keepNewest(split, budget, type);
}

/**
 * The newest messages that fit, after a marker with the number of the removed ones. If not even the newest one fits, its texts are cut; calls
 * that do not fit then are removed with their results. The result is empty if no message fits.
 */
export function keepWithinBudget<M extends object>(
  messages: readonly M[],
  budget: number,
  type: LevelMessages<M>,
): readonly M[] {
  return keepNewest({ messages, marker: null, removed: 0 }, budget, type);
}

/** A list without its middle. `marker` replaces `removed` messages; null if none is removed. */
interface SplitList<M> {
  messages: readonly M[];
  marker: M | null;
  removed: number;
}

/** The list without the messages between the first and the recent ones. Null if there are none between them, or if a model reads none. */
function splitMiddle<M>(
  messages: readonly M[],
  { keepFirst, keepRecent }: Pick<LevelOptions, "keepFirst" | "keepRecent">,
  type: LevelMessages<M>,
): SplitList<M> | null {
  const first = wholeBefore(messages, keepFirst, type);
  const recent = recentStart(messages, keepRecent, type);
  const last = messages[recent - 1];
  // Without a message that a model reads, a marker would be the only one.
  const isRead = messages.slice(recent).some((message) => type.role(message) !== "other");
  if (first >= recent || last === undefined || !isRead) return null;
  const removed = recent - first;
  const marker = type.marker(`[Context compacted: ${removed} messages removed to fit context window]`, last);
  return { messages: [...messages.slice(0, first), marker, ...messages.slice(recent)], marker, removed };
}

function keepNewest<M extends object>(split: SplitList<M>, budget: number, type: LevelMessages<M>): readonly M[] {
  const { messages } = split;
  const last = messages.at(-1);
  if (last === undefined || fits(messages, budget, type)) return messages;
  const markerOf = (removed: readonly M[]) => {
    const count = removed.reduce((total, message) => total + (message === split.marker ? split.removed : 1), 0);
    return type.marker(`[Context compacted: ${count} messages removed]`, removed.at(-1) ?? last);
  };
  // No marker has more tokens than the one for all messages. A small budget may have place for the newest message alone.
  const reserved = type.tokens(markerOf(messages));
  const marked = newest(split, budget - reserved, type);
  if (marked === null) return newest(split, budget, type)?.kept ?? [];
  // One marker replaces two that would follow each other.
  const isJoined = marked.kept[0] === split.marker;
  const removed = isJoined ? [...marked.removed, ...marked.kept.slice(0, 1)] : marked.removed;
  const isMissed = removed.some((message) => type.role(message) !== "other");
  return isMissed ? [markerOf(removed), ...marked.kept.slice(isJoined ? 1 : 0)] : marked.kept;
}

/**
 * The newest units that fit, and the messages of all others. Messages that no model reads are kept among them as far as tokens remain. Null if
 * no message that a model reads fits.
 */
function newest<M>(
  { messages, marker }: SplitList<M>,
  budget: number,
  type: LevelMessages<M>,
): { kept: readonly M[]; removed: readonly M[] } | null {
  const units = unitsOf(messages, type);
  const isOther = (unit: readonly M[]) => unit.every((message) => type.role(message) === "other");
  const kept = new Map<readonly M[], readonly M[]>();
  let remaining = budget;
  let oldest = units.length;
  let hasRead = false;
  for (let at = units.length - 1; at >= 0; at -= 1) {
    const unit = units[at] as readonly M[];
    if (isOther(unit)) continue;
    const isMarker = unit[0] === marker;
    const whole = sum(unit, type) <= remaining ? unit : null;
    if (whole === null && hasRead) break;
    // The newest messages that a model reads are cut. All other units are kept whole or not at all.
    const fitting = whole ?? (isMarker ? null : cutUnit(unit, remaining, type));
    if (fitting === null) continue;
    kept.set(unit, fitting);
    remaining -= sum(fitting, type);
    oldest = at;
    hasRead ||= !isMarker;
  }
  if (!hasRead) return null;
  for (const unit of units.slice(oldest).toReversed()) {
    const tokens = sum(unit, type);
    if (kept.has(unit) || !isOther(unit) || tokens > remaining) continue;
    kept.set(unit, unit);
    remaining -= tokens;
  }
  return {
    kept: units.flatMap((unit) => kept.get(unit) ?? []),
    removed: units.flatMap((unit) => (kept.has(unit) ? [] : unit)),
  };
}

/** The most attempts to find how far texts are cut. Each attempt reads the whole texts, which may have millions of bytes. */
const mostCuts = 8;

/** The part of the budget that a cut may leave unused. */
const unusedShare = 1 / 32;

/** The messages with their texts cut until they fit, and hardly further. Null if they do not fit. */
function cutUnit<M>(unit: readonly M[], budget: number, type: LevelMessages<M>): readonly M[] | null {
  const cutTo = (tokens: number) => unit.map((message) => type.cut(message, tokens));
  let fitting = cutTo(0);
  const least = sum(fitting, type);
  if (least > budget) return null;
  // A single long text has almost the whole budget after the first attempt.
  let [low, high, tokens] = [0, budget, budget - least];
  for (let attempt = 0; attempt < mostCuts && low < high; attempt += 1) {
    const cut = cutTo(tokens);
    const unused = budget - sum(cut, type);
    if (unused >= 0) [fitting, low] = [cut, tokens];
    else high = tokens - 1;
    if (unused >= 0 && unused <= budget * unusedShare) break;
    tokens = Math.ceil((low + high) / 2);
  }
  return fitting;
}

/**
 * Index of the first of the last `keepRecent` messages, or of the answer whose results are among them. The newest message that a model reads
 * is always among the recent ones.
 */
function recentStart<M>(messages: readonly M[], keepRecent: number, type: LevelMessages<M>): number {
  const read = messages.findLastIndex((message) => type.role(message) !== "other");
  const start = messages.length - keepRecent;
  return wholeBefore(messages, Math.max(0, read === -1 ? start : Math.min(start, read)), type);
}

/** The largest index of at most `index` that is between two units. */
function wholeBefore<M>(messages: readonly M[], index: number, type: LevelMessages<M>): number {
  if (index >= messages.length) return messages.length;
  let start = 0;
  for (const unit of unitsOf(messages, type)) {
    if (start + unit.length > index) return start;
    start += unit.length;
  }
  return start;
}

/** The list divided so that a call and its results are in one unit. All other messages are a unit each. */
function unitsOf<M>(messages: readonly M[], type: LevelMessages<M>): (readonly M[])[] {
  // A provider may use an id again, so a result belongs to the last answer before it that has the call.
  const callers = new Map<string, number>();
  const lastResults = new Map<number, number>();
  for (const [at, message] of messages.entries()) {
    for (const id of type.calls(message)) callers.set(id, at);
    const id = type.resultOf(message);
    const caller = id === null ? undefined : callers.get(id);
    if (caller !== undefined) lastResults.set(caller, at);
  }
  const units: (readonly M[])[] = [];
  for (let start = 0; start < messages.length;) {
    let end = start;
    for (let at = start; at <= end; at += 1) end = Math.max(end, lastResults.get(at) ?? at);
    units.push(messages.slice(start, end + 1));
    start = end + 1;
  }
  return units;
}

/** Whether the messages have at most a number of tokens. Messages after the first ones that exceed it are not counted. */
function fits<M>(messages: readonly M[], tokens: number, type: LevelMessages<M>): boolean {
  let remaining = tokens;
  return messages.every((message) => (remaining -= type.tokens(message)) >= 0);
}

function sum<M>(messages: readonly M[], type: LevelMessages<M>): number {
  return messages.reduce((total, message) => total + type.tokens(message), 0);
}

function listOf<M>(message: M | null): M[] {
  return message === null ? [] : [message];
}
