// What a loop produced, for code that runs loops of its own and has to continue however they end: branches, judges, sub-agents.

import { errorMessage } from "#lib/cut-text.ts";

import type { EventSender } from "./event-channel.ts";
import type { AgentEvent, AgentEventOf } from "./loop-event.ts";
import { textOfContent, zeroTokens } from "./loop-messages.ts";
import type { AgentMessage, AssistantMessage, Usage } from "./loop-messages.ts";

/** What a loop produced. */
export interface CollectedLoop {
  /** The new messages of the loop. */
  messages: AgentMessage[];
  usage: Usage;
  /** Why the loop has no answer; null if it has one. */
  error_message: string | null;
}

/** Runs a loop with a sender that passes its events to `tx`. Contract: never rejects; the error of a loop that rejects is its result. */
export async function collectLoop(
  tx: EventSender,
  run: (sender: EventSender) => Promise<AgentMessage[]>,
): Promise<CollectedLoop> {
  const ends: AgentEventOf<"AgentEnd">[] = [];
  const sender = {
    send(event: AgentEvent) {
      if (event.type === "AgentEnd") ends.push(event);
      return tx.send(event);
    },
  };
  let thrown: string | null = null;
  try {
    await run(sender);
  } catch (error) {
    thrown = errorMessage(error);
  }
  const [end] = ends;
  const { messages = [], usage = zeroTokens(), rejection = null } = end ?? {};
  return { messages, usage, error_message: thrown ?? rejection ?? failureOf(messages) };
}

function failureOf(messages: readonly AgentMessage[]): string | null {
  const last = lastAnswer(messages);
  return last === null ? "The loop ended without an answer." : errorOf(last);
}

/** The error of an answer; null if it has none. */
export function errorOf({ stop_reason, error_message }: AssistantMessage): string | null {
  if (stop_reason === "aborted") return "Cancelled.";
  return stop_reason === "error" ? (error_message ?? "The model failed without a message.") : null;
}

/** The last answer; null if there is none. */
export function lastAnswer(messages: readonly AgentMessage[]): AssistantMessage | null {
  return messages.findLast((message) => message.role === "assistant") ?? null;
}

/** The text of the last answer that has one; empty if none has. */
export function lastAnswerText(messages: readonly AgentMessage[]): string {
  const answer = messages.findLast(
    (message) => message.role === "assistant" && textOfContent(message.content).trim() !== "",
  );
  return answer?.role === "assistant" ? textOfContent(answer.content) : "";
}
