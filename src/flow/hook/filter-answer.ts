// Finds the changes to a message that hooks of the history may not make: to its role, its calls, or fields that a message does not have.
// Such changes have no effect, so they are logged.

import type { LLMMessage, Message } from "#spec/index.ts";

type Fields = Record<string, unknown>;

const messageFields: ReadonlySet<string> = new Set(
  Object.keys({
    id: true,
    role: true,
    content: true,
    name: true,
    tool_calls: true,
    tool_call_id: true,
    created_at: true,
    parent_id: true,
    depth: true,
    silent: true,
    metadata: true,
  } satisfies Record<keyof Message, true>),
);

const historyFields: ReadonlySet<string> = new Set(
  Object.keys({
    role: true,
    content: true,
    tool_calls: true,
    tool_call_id: true,
    name: true,
  } satisfies Record<keyof LLMMessage, true>),
);

const identity = ["role", "tool_calls", "tool_call_id"] as const;

/** Names the changed fields in the result of `filter_messages` or `transform_context` that have no effect. */
export function refusedByFilter(given: readonly Message[], answer: readonly Fields[]): string[] {
  const byId = new Map<unknown, Message>(given.map((message) => [message.id, message]));
  return unique(answer.flatMap((message) => refused(message, byId.get(message["id"]), messageFields)));
}

/** Names the changed fields in the result of `prefilter_llm_history` that have no effect. `originOf` returns the original of a message. */
export function refusedByPrefilter(
  answer: readonly Fields[],
  originOf: (message: Fields) => LLMMessage | undefined,
): string[] {
  return unique(answer.flatMap((message) => refused(message, originOf(message), historyFields)));
}

function refused(message: Fields, before: Message | LLMMessage | undefined, known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(message).filter((field) => !known.has(field));
  const changed = identity.filter((field) => before !== undefined && !same(message[field], before[field]));
  return [...unknown, ...changed];
}

function same(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}

function unique(fields: readonly string[]): string[] {
  return [...new Set(fields)];
}
