// Plain deltas of Bedrock's ConverseStream, as text: the transport has turned its frames into events (`../../bedrock/bedrock-fetch.ts`). It is
// loaded with the first request to Bedrock.

import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";

import {
  checks,
  isAccepted,
  isNumber,
  isString,
  parsedEvent,
  type DeltaKind,
  type PlainDelta,
  type PlainWire,
} from "./plain-delta.ts";

const name = "contentBlockDelta";

/** `p` is padding, which is left out of the log. */
const eventFields = checks({ contentBlockIndex: isNumber, delta: isObject, p: isString });

/** The kinds of deltas in an object, by the field with the object, and the field that has their characters. */
const inner: Readonly<Record<string, { kind: DeltaKind; field: string }>> = {
  reasoningContent: { kind: "reasoning", field: "text" },
  toolUse: { kind: "tool-input", field: "input" },
};

/** The only field of an object; undefined for one with none or several. */
function onlyField(value: unknown): [string, unknown] | undefined {
  const entries = Object.entries(fieldsOf(value));
  return entries.length === 1 ? entries[0] : undefined;
}

/** The kind and the characters of a delta; null for any other delta. */
function charactersOf(delta: unknown): { kind: DeltaKind; text: unknown } | null {
  const [field = "", value] = onlyField(delta) ?? [];
  if (field === "text") return { kind: "text", text: value };
  const known = Object.hasOwn(inner, field) ? inner[field] : undefined;
  const [innerField, text] = onlyField(value) ?? [];
  return known !== undefined && innerField === known.field ? { kind: known.kind, text } : null;
}

function read(data: string): PlainDelta | null {
  if (!data.includes(`"${name}"`)) return null;
  const event = onlyField(parsedEvent(data));
  if (event?.[0] !== name || !isObject(event[1]) || !isAccepted(event[1], eventFields)) return null;
  const { p: _padding, ...fields } = event[1];
  const { contentBlockIndex: index, delta } = fields;
  const found = charactersOf(delta);
  if (!isNumber(index) || found === null || typeof found.text !== "string" || found.text === "") return null;
  const { kind, text } = found;
  return { kind, key: `${kind} ${String(index)}`, delta: text, value: { [name]: fields }, facts: {} };
}

function withDelta({ kind, value }: PlainDelta, text: string): Fields {
  const fields = fieldsOf(value[name]);
  const [field = ""] = onlyField(fields["delta"]) ?? [];
  const delta = kind === "text" ? { text } : { [field]: { [inner[field]?.field ?? ""]: text } };
  return { [name]: { ...fields, delta } };
}

/** Bedrock's ConverseStream. */
export const plainConverse: PlainWire = { read, withDelta };
