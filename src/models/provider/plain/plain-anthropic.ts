// Plain deltas of Anthropic's Messages API.

import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";

import {
  checks,
  isAccepted,
  isNumber,
  isOnly,
  isString,
  parsedEvent,
  type DeltaKind,
  type PlainDelta,
  type PlainWire,
} from "./plain-delta.ts";

const eventFields = checks({ type: isOnly("content_block_delta"), index: isNumber, delta: isObject });

/** The kind of each type of delta, and the field that has its characters. */
const types = new Map<unknown, { kind: DeltaKind; field: string }>([
  ["text_delta", { kind: "text", field: "text" }],
  ["thinking_delta", { kind: "reasoning", field: "thinking" }],
  ["input_json_delta", { kind: "tool-input", field: "partial_json" }],
]);

function read(data: string): PlainDelta | null {
  if (!data.includes('"content_block_delta"')) return null;
  const value = parsedEvent(data);
  if (value === null || !isAccepted(value, eventFields) || value["type"] !== "content_block_delta") return null;
  const { index, delta: fields } = value;
  if (!isNumber(index) || !isObject(fields) || Object.keys(fields).length !== 2) return null;
  const known = types.get(fields["type"]);
  const delta = known === undefined ? undefined : fields[known.field];
  if (known === undefined || !isString(delta) || delta === "") return null;
  return { kind: known.kind, key: `${known.kind} ${String(index)}`, delta: delta as string, value, facts: {} };
}

function withDelta({ value }: PlainDelta, text: string): Fields {
  const delta = fieldsOf(value["delta"]);
  const field = types.get(delta["type"])?.field ?? "";
  return { ...value, delta: { ...delta, [field]: text } };
}

/** Anthropic's Messages API. */
export const plainAnthropic: PlainWire = { read, withDelta };
