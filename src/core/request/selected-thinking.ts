// Selects the thinking of earlier runs that a request contains (decision 19: thinking): none, unless the prompt's `reasoning.include`
// requests it. Signatures of text and calls count as thinking. The current run's thinking is always sent. The model layer sends thinking
// only to the provider that produced it.

import type { ReasoningConfig } from "#spec/index.ts";

import type { MessageRecord, StoredPart } from "../record/record.ts";

/**
 * The earlier messages of a thread, without the thinking that is not sent. A turn that ends in tool results keeps its thinking until the
 * other side (the second model of a conversation of two) writes a message, because providers refuse its calls without their signatures.
 * `current` are the messages of this loop in the current run.
 */
export function earlierThinking(
  earlier: readonly MessageRecord[],
  reasoning: ReasoningConfig | undefined,
  current: readonly MessageRecord[],
): MessageRecord[] {
  if (reasoning?.include === true || !containsThinking(earlier)) return [...earlier];
  const turn = openTurn(earlier, current);
  const runs = new Set(current.flatMap(({ run_id }) => run_id ?? []));
  const keeps = ({ run_id }: MessageRecord, at: number) => at >= turn || (run_id !== null && runs.has(run_id));
  return earlier.map((message, at) => (keeps(message, at) ? message : withoutThinking(message)));
}

/** Index of the first message of a turn that keeps its thinking; the list's length if there is none. */
function openTurn(earlier: readonly MessageRecord[], current: readonly MessageRecord[]): number {
  const last = earlier.at(-1);
  if (last?.role !== "tool") return earlier.length;
  const isFromOther = ({ role, side }: MessageRecord) =>
    (role === "user" || role === "assistant") && side !== last.side;
  return current.some(isFromOther) ? earlier.length : earlier.findLastIndex(isFromOther) + 1;
}

/** Whether lists of earlier messages contain thinking. Each step of a loop passes the same list. */
const withThinking = new WeakMap<readonly MessageRecord[], boolean>();

function containsThinking(earlier: readonly MessageRecord[]): boolean {
  if (earlier.length === 0) return false;
  const known = withThinking.get(earlier);
  if (known !== undefined) return known;
  const contains = earlier.some(hasThinking);
  withThinking.set(earlier, contains);
  return contains;
}

function hasThinking({ parts }: MessageRecord): boolean {
  for (const { type, provider_data } of parts) if (isOpaque(type, provider_data)) return true;
  return false;
}

/** Whether a part is thinking, or has data that may be. The data of a provider's tool is the call and its result. */
function isOpaque(type: StoredPart["type"], data: StoredPart["provider_data"]): boolean {
  return type === "thinking" || (data !== undefined && type !== "provider_tool");
}

function withoutThinking(message: MessageRecord): MessageRecord {
  if (!hasThinking(message)) return message;
  const parts = message.parts.flatMap((part): StoredPart[] => {
    if (part.type === "thinking") return [];
    if (part.provider_data === undefined || part.type === "provider_tool") return [part];
    const { provider_data: _, ...rest } = part;
    return [rest];
  });
  return { ...message, parts };
}
