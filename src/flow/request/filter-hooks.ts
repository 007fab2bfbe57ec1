// Applies the project's history hooks to the messages of a step. `filter_messages` receives the stored messages. `transform_context`
// receives those that the prompt includes, `convert_to_llm` converts them to model messages, and `prefilter_llm_history` receives the model
// messages. A hook may remove, reorder, change and add messages (decisions 4, 14, 16: what a prompt sees, hooks, silent messages).

import { keptBounds } from "#contract/json.ts";
import { parseArguments } from "#core/model/answer.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { functionCalls, textOf } from "#core/record/view.ts";
import { repair } from "#core/request/repair.ts";
import { isSendable, modelMessage, withMessageText } from "#core/request/request-messages.ts";
import { textOrJson } from "#lib/json-value.ts";
import { parseBoundedOrNull } from "#lib/untrusted/bounded-json.ts";
import type { LLMMessage, Message } from "#spec/index.ts";

import { specMessage } from "../hook/hook-message.ts";
import type { HookRunner } from "../hook/hook-runner.ts";
import { fromPerspective } from "./history.ts";
import type { Viewer } from "./history.ts";

/** The stored messages for a step. */
export interface StepHistory {
  /** The messages that the prompt includes. */
  included: readonly MessageRecord[];
  /** The messages that `filter_messages` receives. Messages that are not in `included` are not sent. */
  stored: readonly MessageRecord[];
}

/** The messages that the hooks selected, in the form that a model receives; without hooks all included messages. */
export async function filteredMessages(
  history: StepHistory,
  hooks: HookRunner,
  viewer: Viewer,
): Promise<ModelMessage[]> {
  const messages = await convertedMessages(history, hooks, viewer);
  if (!hooks.prefiltersHistory) return messages;
  const shown = messages.map(llmMessage);
  const before = structuredClone(shown);
  const chosen = await hooks.prefilterHistory([...shown]);
  return repair(fromPrefiltered(chosen, { messages, shown, before }));
}

/** Runs the hooks that receive messages in their stored form, and converts the result. */
async function convertedMessages(
  { included, stored }: StepHistory,
  hooks: HookRunner,
  viewer: Viewer,
): Promise<ModelMessage[]> {
  const originals: Originals = {
    rows: new Map(stored.filter(isSendable).map((record) => [record.id, record])),
    seen: new Map(fromPerspective(viewer, included.filter(isSendable)).map((record) => [record.id, record])),
  };
  const rows = hooks.filtersMessages ? [...originals.rows.values()] : included.filter(isSendable);
  const kept = await hooks.filterMessages(rows.map(specMessage));
  // Messages that the prompt does not include are removed after `filter_messages`.
  const context = await hooks.transformContext(
    kept.filter(({ id }) => !originals.rows.has(id) || originals.seen.has(id)),
  );
  const messages = context.flatMap((message) => fromStored(message, originals));
  const converted = hooks.convertsMessages ? await hooks.convertToLlm(context) : null;
  if (converted === null) return repair(messages);
  const shown = messages.map(llmMessage);
  return repair(fromPrefiltered(converted.map(withoutNulls), { messages, shown, before: shown }));
}

/** The messages that a hook may return: all stored ones, and the included ones from the side's perspective. By id. */
interface Originals {
  rows: ReadonlyMap<string, MessageRecord>;
  seen: ReadonlyMap<string, MessageRecord>;
}

/** The model message of a message that a hook returned. If the hook changed its text, the message's other parts stay. */
function fromStored(message: Message, { rows, seen }: Originals): ModelMessage[] {
  const original = rows.get(message.id);
  if (original === undefined) return added(message);
  const record = seen.get(message.id);
  if (record === undefined) return [];
  const changed = typeof message.content === "string" && message.content !== textOf(original.parts);
  return [changed ? withMessageText(modelMessage(record), message.content ?? "") : modelMessage(record)];
}

/** A stored message has null for absent fields, and its calls as JSON text. Returns it without these fields and with a list of calls. */
function withoutNulls({ tool_calls, tool_call_id, name, ...message }: LLMMessage): LLMMessage {
  const calls = typeof tool_calls === "string" ? parseBoundedOrNull(tool_calls, keptBounds) : tool_calls;
  return {
    ...message,
    ...(calls == null ? {} : { tool_calls: calls }),
    ...(tool_call_id == null ? {} : { tool_call_id }),
    ...(name == null ? {} : { name }),
  };
}

/** The message in the form that a definition receives. */
export function llmMessage(message: ModelMessage): LLMMessage {
  const calls = functionCalls(message.parts);
  return {
    role: message.role,
    content: textOf(message.parts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(message.tool_call_id === null ? {} : { tool_call_id: message.tool_call_id }),
    ...(message.name === null ? {} : { name: message.name }),
  };
}

interface Prefiltered {
  messages: readonly ModelMessage[];
  /** The objects that the hook received, and copies of them from before the hook. */
  shown: readonly LLMMessage[];
  before: readonly LLMMessage[];
}

function fromPrefiltered(chosen: readonly LLMMessage[], given: Prefiltered): ModelMessage[] {
  const free = new Set(given.messages.keys());
  return chosen.flatMap((message) => {
    const at = originOf(message, given, free);
    const origin = at === undefined ? undefined : given.messages[at];
    if (at === undefined || origin === undefined) return added(message);
    free.delete(at);
    if (message.content === given.before[at]?.content) return [origin];
    return [withMessageText(origin, message.content ?? "")];
  });
}

/** The index of the original of a message that a hook returned: the same object, or one with the same call id, calls or content. */
function originOf(message: LLMMessage, { shown, before }: Prefiltered, free: ReadonlySet<number>): number | undefined {
  const same = shown.indexOf(message);
  if (same !== -1 && free.has(same)) return same;
  const key = copyKey(message);
  return [...free].find((at) => {
    const original = before[at];
    return original !== undefined && copyKey(original) === key;
  });
}

function copyKey({ role, content, tool_call_id, tool_calls }: LLMMessage): string {
  if (tool_call_id !== undefined) return `result ${tool_call_id}`;
  return JSON.stringify([role, tool_calls === undefined ? content : tool_calls]);
}

/** A message that a hook added. */
function added(message: Message | LLMMessage): ModelMessage[] {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "tool") return [];
  const parts: ModelMessage["parts"] = content == null ? [] : [{ type: "text", text: content }];
  if (role === "assistant") for (const call of callsIn(message.tool_calls)) parts.push(call);
  const result = role === "tool" ? ({ status: "success", result: content ?? "" } as const) : null;
  const name = typeof message.name === "string" ? message.name : null;
  const tool_call_id = role === "tool" && typeof message.tool_call_id === "string" ? message.tool_call_id : null;
  return [{ id: null, role, parts, name, tool_call_id, result }];
}

function callsIn(value: unknown): ModelMessage["parts"] {
  const list: unknown = typeof value === "string" ? parseBoundedOrNull(value, keptBounds) : value;
  if (!Array.isArray(list)) return [];
  return list.flatMap((call: unknown) => {
    const { id, function: named } = (call ?? {}) as {
      id?: unknown;
      function?: { name?: unknown; arguments?: unknown };
    };
    if (typeof id !== "string" || id === "" || typeof named?.name !== "string") return [];
    return [{ type: "tool_call" as const, id, name: named.name, ...parseArguments(textOrJson(named.arguments)) }];
  });
}
