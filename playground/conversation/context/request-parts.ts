// The parts of a thread's next request as the context panel lists them.

import type { MessageView, ThreadContext } from "threadhold/client";

import { count } from "../../kit/figures.ts";

type ContextMessage = ThreadContext["messages"][number];

/** A part of the request: how many things it consists of, null for one, and their tokens. */
interface RequestPart {
  name: string;
  number: number | null;
  tokens: number;
}

/** Ids of the stored messages that are sent with less content than is stored. */
export function shortenedIds({ messages }: ThreadContext): string[] {
  return messages.flatMap(({ id, shortened }) => (id !== null && shortened ? [id] : []));
}

/** The number of messages that are listed as the largest. */
const mostListed = 10;

/** The parts with content, in the order in which they are sent. Files are listed apart from their messages. */
export function partsOf({ system, tools, messages, dropped }: ThreadContext): RequestPart[] {
  const ofRole = (name: string, role: ContextMessage["role"]): RequestPart => {
    const those = messages.filter((message) => message.role === role && message.id !== null);
    return { name, number: those.length, tokens: sum(those, ({ tokens, file_tokens }) => tokens - file_tokens) };
  };
  const added = messages.filter(({ id, kind }) => id === null && kind === "message");
  const inPlace = messages.find(({ kind }) => kind !== "message");
  const withFiles = messages.filter(({ file_tokens }) => file_tokens > 0);
  const parts: RequestPart[] = [
    { name: "System prompt", number: null, tokens: system },
    { name: "Tools", number: tools.length, tokens: sum(tools, ({ tokens }) => tokens) },
    ...(inPlace === undefined ? [] : [{ name: placeName(inPlace, dropped), number: null, tokens: inPlace.tokens }]),
    { name: "Messages that are not stored", number: added.length, tokens: sum(added, ({ tokens }) => tokens) },
    ofRole("System messages", "system"),
    ofRole("User messages", "user"),
    ofRole("Answers", "assistant"),
    ofRole("Tool results", "tool"),
    {
      name: "Messages' images and files",
      number: withFiles.length,
      tokens: sum(withFiles, ({ file_tokens }) => file_tokens),
    },
  ];
  return parts.filter(({ number }) => number !== 0);
}

/** The name of the message in place of the dropped ones. */
function placeName({ kind }: ContextMessage, dropped: number): string {
  const messages = dropped === 1 ? "1 message" : `${count(dropped)} messages`;
  return kind === "summary" ? `Summary of ${messages}` : `Line in place of ${messages}`;
}

/** The stored messages with the most tokens, the largest first. */
export function largestMessages({ messages }: ThreadContext): (ContextMessage & { id: string })[] {
  return messages
    .filter((message): message is ContextMessage & { id: string } => message.id !== null)
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, mostListed);
}

/** Tokens of the last request, as its provider counted them; null if no loaded answer has a count. */
export function lastPromptTokens(messages: readonly MessageView[]): number | null {
  const last = messages.findLast(({ role, parent_id, usage }) => {
    return role === "assistant" && parent_id === null && usage !== null;
  });
  if (last?.usage == null) return null;
  const { input, cache_read, cache_write } = last.usage;
  return input + cache_read + cache_write;
}

function sum<T>(items: readonly T[], tokensOf: (item: T) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}
