// A program's own compaction (REQ-023, REQ-146): its interface, and its calls. An error of it becomes a LoopError that names the option.

import { errorMessage } from "#lib/cut-text.ts";
import { fieldsOf } from "#lib/json-value.ts";

import { LoopError } from "../loop-error.ts";
import type { AgentMessage } from "../loop-messages.ts";
import { waitFor } from "../program-functions.ts";
import { shown } from "./context-config.ts";
import type { CompleteContextConfig } from "./context-config.ts";

/** Compacts the messages of a loop in place of the levels of the document. */
export interface CompactionStrategy {
  /**
   * Returns the messages to send; an empty list sends none. Called before each request, also if the messages are within the budget.
   * `messages` are those of the last result and those that were added since; the list is a copy. If a model refused the last request as too
   * large, `config` has a lower `max_context_tokens`.
   */
  compact(messages: AgentMessage[], config: CompleteContextConfig): AgentMessage[] | Promise<AgentMessage[]>;
}

/** The messages that a strategy returns. Rejects with the signal's reason if the signal is aborted first. */
export async function compactBy(
  strategy: CompactionStrategy,
  messages: readonly AgentMessage[],
  { config, signal }: { config: CompleteContextConfig; signal: AbortSignal | undefined },
): Promise<AgentMessage[]> {
  signal?.throwIfAborted();
  const work = call(strategy, messages, config);
  const returned = await (signal === undefined ? work : waitFor(work, signal));
  const problem = problemOfMessages(returned);
  if (problem === null) return [...(returned as AgentMessage[])];
  throw new LoopError(`\`compactionStrategy\` has to return a list of messages from compact(): ${problem}`);
}

/** Only the message of an error is kept: its other fields may contain a key. */
async function call(
  strategy: CompactionStrategy,
  messages: readonly AgentMessage[],
  config: CompleteContextConfig,
): Promise<unknown> {
  try {
    return await strategy.compact([...messages], config);
  } catch (thrown) {
    throw new LoopError(`\`compactionStrategy\` failed in compact(): ${errorMessage(thrown)}`);
  }
}

/** What is wrong with a value that should be a list of messages, as a sentence; null if nothing is. */
export function problemOfMessages(value: unknown): string | null {
  if (!Array.isArray(value)) return `it is ${shown(value)}.`;
  const at = value.findIndex((message) => !isMessage(message));
  return at === -1 ? null : `the element ${at} is no message. A message has a \`role\` and a \`content\` of blocks.`;
}

function isMessage(value: unknown): value is AgentMessage {
  const { role, content, kind, tool_call_id, tool_name } = fieldsOf(value);
  if (role === "extension") return typeof kind === "string";
  if (role === "toolResult" && !(typeof tool_call_id === "string" && typeof tool_name === "string")) return false;
  const isKnown = role === "user" || role === "assistant" || role === "toolResult";
  return isKnown && Array.isArray(content) && content.every(isBlock);
}

/** The fields of each block that are texts. */
const texts: Record<string, readonly string[]> = {
  text: ["text"],
  thinking: ["thinking"],
  image: ["data", "mime_type"],
  toolCall: ["id", "name"],
};

function isBlock(value: unknown): boolean {
  const block = fieldsOf(value);
  const { type } = block;
  if (typeof type !== "string" || !Object.hasOwn(texts, type)) return false;
  return texts[type]?.every((name) => typeof block[name] === "string") === true;
}
