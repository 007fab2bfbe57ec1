// Finds the last request whose tokens its provider counted. The ratio of that count to the estimate corrects the estimate of the next one.

import type { Side } from "#contract/thread-message.ts";
import { countedRequest } from "#core/context/measured-tokens.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { isModelAnswer } from "#core/record/scope.ts";
import { beginsWith } from "#lib/begins-with.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

/** The tokens of the request that an answer belongs to. The request has the messages before the answer. */
export interface MeasuredRequest {
  messageId: string;
  tokens: number;
}

/** The messages before a step as they are stored, and those that the prompt includes. */
interface StepMessages {
  stored: readonly MessageRecord[];
  included: readonly MessageRecord[];
}

/**
 * The side's last answer, and the tokens of its request as the provider counted them. Null if there is none, if none of `models` gave it,
 * or if the next request does not begin with the same messages.
 */
export function lastMeasured(
  { stored, included }: StepMessages,
  models: readonly AnyModelDefinition[],
  side: Side,
): MeasuredRequest | null {
  const names = new Set(models.map(({ name }) => name));
  const last = included.findLast((message) => isModelAnswer(message) && (message.side ?? side) === side);
  if (last?.usage == null || last.model === null || !names.has(last.model)) return null;
  if (!isUnchanged(last, { stored, included })) return null;
  const tokens = countedRequest(last.usage);
  return tokens === null ? null : { messageId: last.id, tokens };
}

/**
 * Whether the messages before an answer are sent as they were in its request. A prompt without `includePastTools` removes the calls of an
 * earlier run, most prompts remove its thinking, and a handoff after the answer changes the prompt.
 */
function isUnchanged(answer: MessageRecord, { stored, included }: StepMessages): boolean {
  const before = stored.findLastIndex(({ position }) => position < answer.position);
  if (stored.slice(before + 1).some(({ handoff }) => handoff !== undefined)) return false;
  // Usually the lists have the same messages. Comparing references reads no message.
  if (stored.length === included.length && beginsWith(stored, included)) return true;
  const sent = new Set(included.filter(({ run_id }) => run_id === answer.run_id));
  const isSent = (message: MessageRecord) => message.position >= answer.position || sent.has(message);
  return stored.every((message) => message.run_id !== answer.run_id || isSent(message));
}
