// Messages in the form that hooks and `ThreadState` use (Standard Agents, Message), and the changes that a hook may make to one.

import { refuse } from "#contract/error.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { jsonObjectSchema } from "#contract/json.ts";
import { metadataLimit } from "#contract/route.ts";
import type { HookCall } from "#core/ports/hook-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { textOf, toolCallsJson } from "#core/record/view.ts";
import { resultWithText, withText } from "#core/request/request-messages.ts";
import type { HookToolCall, HookToolResult, Message } from "#spec/index.ts";

/** The message in the form of Standard Agents. That form has no extension messages, so leave them out first. */
export function specMessage(record: MessageRecord): Message {
  return {
    id: record.id,
    role: record.role === "extension" ? "system" : record.role,
    content: textOf(record.parts),
    name: record.name,
    tool_calls: toolCallsJson(record.parts),
    tool_call_id: record.tool_call_id,
    created_at: record.created_at,
    parent_id: record.parent_id,
    depth: record.depth,
    silent: record.silent,
    metadata: record.metadata,
  };
}

/** The fields that a hook may change, with their types. */
const changeable: Record<string, string> = { content: "string", name: "string", silent: "boolean", metadata: "object" };

/** The record with a hook's changes, and the names of the fields whose changes were refused. Throws for circular metadata. */
export function withHookChanges(
  record: MessageRecord,
  changed: Record<string, unknown>,
): { record: MessageRecord; refused: string[] } {
  const before: Record<string, unknown> = { ...specMessage(record) };
  const refused = new Set(
    Object.keys(changed).filter(
      (field) => !same(changed[field], before[field]) && typeof changed[field] !== changeable[field],
    ),
  );
  const next = { ...record };
  if (typeof changed["content"] === "string" && changed["content"] !== before["content"]) {
    next.parts = withText(record.parts, changed["content"]);
    if (record.result !== null) next.result = resultWithText(record.result, changed["content"]);
  }
  if (typeof changed["name"] === "string") next.name = changed["name"];
  if (typeof changed["silent"] === "boolean") next.silent = changed["silent"];
  const metadata = readMetadata(changed["metadata"]);
  if (metadata === null) refused.add("metadata");
  else if (changed["metadata"] != null) next.metadata = metadata;
  return { record: next, refused: [...refused] };
}

/** The metadata that a hook returned; null if it is not a JSON object. Throws if it is circular. */
export function readMetadata(value: unknown): JsonObject | null {
  return jsonObjectSchema.safeParse(JSON.parse(JSON.stringify(value ?? {}))).data ?? null;
}

function same(left: unknown, right: unknown): boolean {
  if (left === right || left === undefined) return true;
  return JSON.stringify(left) === JSON.stringify(right ?? null);
}

/**
 * Metadata with a change merged into its top level (decision 15: messages). Throws `too_large` if the result is too large, because many
 * small changes add up.
 */
export function mergedMetadata(before: JsonObject, change: Json | undefined): JsonObject {
  if (typeof change !== "object" || change === null || Array.isArray(change)) return before;
  const merged = { ...before, ...change };
  if (new TextEncoder().encode(JSON.stringify(merged)).byteLength <= metadataLimit) return merged;
  const message = `The message's metadata would be over ${String(metadataLimit)} bytes.`;
  throw refuse("too_large", message, { field: "metadata", limit: metadataLimit });
}

/** A call in the form of Standard Agents. */
export function hookToolCall({ id, name, arguments: json }: HookCall): HookToolCall {
  return { id, type: "function", function: { name, arguments: json } };
}

/** The result in the form of Standard Agents, without fields such as `details` and `value`. */
export function hookResult(answer: ToolAnswer): HookToolResult {
  const { status, result, error, stack } = answer;
  return {
    status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    ...(stack === undefined ? {} : { stack }),
  };
}
