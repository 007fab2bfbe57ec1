// Which messages of a conversation a compaction has dropped. The context of a thread lists the messages of the next request: the first
// ones, a marker or a summary in place of the dropped ones, the run's question if it was dropped too, and the newest ones.

import type { MessageView, ThreadContext } from "threadhold/client";

/** The messages that are no longer sent. */
export interface UnsentMessages {
  /** Id of the first message after them that is sent. */
  before: string;
  ids: ReadonlySet<string>;
  /** The number of dropped messages. Tool results are messages too. */
  count: number;
  /** Whether a summary is sent in their place. */
  summarized: boolean;
  /** The number of messages before `before` that are still sent. */
  kept: number;
}

/**
 * The unsent messages; null if every message is sent, or if the dropped ones are not loaded. A message that a request omits for another
 * reason, such as a call of an earlier run, is no unsent message.
 */
export function unsentMessages(context: ThreadContext, all: readonly MessageView[]): UnsentMessages | null {
  if (context.dropped === 0) return null;
  const sentIds = new Set(context.messages.flatMap(({ id }) => id ?? []));
  const places = new Map(all.map(({ id }, at) => [id, at]));
  const isUnsent = ({ id, role, parent_id: parent, silent }: MessageView): boolean =>
    parent === null && !silent && (role === "user" || role === "assistant") && !sentIds.has(id);
  const isGap = (from: number, to: number): boolean => all.slice(from + 1, to).some(isUnsent);
  const marker = context.messages.findIndex(({ kind }) => kind !== "message");
  if (marker === -1) return null;
  const placesOf = (messages: ThreadContext["messages"]): number[] =>
    messages.flatMap(({ id }) => (id === null ? [] : (places.get(id) ?? [])));
  const head = placesOf(context.messages.slice(0, marker));
  const after = placesOf(context.messages.slice(marker + 1));
  const [first, second] = after;
  if (first === undefined || !isGap(head.at(-1) ?? -1, first)) return null;
  const isQuestion = first === all.findLastIndex(({ role, parent_id }) => role === "user" && parent_id === null);
  const begin = isQuestion && second !== undefined && isGap(first, second) ? second : first;
  return {
    before: all[begin]?.id ?? "",
    ids: new Set(
      all
        .slice(0, begin)
        .filter(isUnsent)
        .map(({ id }) => id),
    ),
    count: context.dropped,
    summarized: context.messages[marker]?.kind === "summary",
    kept: [...head, ...after].filter((place) => place < begin).length,
  };
}
