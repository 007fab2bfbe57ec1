// A projection records which messages of a conversation a model request contains: which are dropped, shortened or sent whole. It changes
// only when the conversation is compacted. Between two compactions the same projection is applied to a growing list, so the bytes of the
// sent messages stay the same, and a provider's prompt cache stays valid.

import type { ModelMessage } from "../ports/model-port.ts";
import { cutMessage, shortenResult, turnEssence } from "./shorten.ts";

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
