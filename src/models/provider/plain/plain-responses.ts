// Plain deltas of the Responses API.

import {
  checks,
  isAccepted,
  isAny,
  isNull,
  isNumber,
  isString,
  parsedEvent,
  type DeltaKind,
  type PlainDelta,
  type PlainWire,
} from "./plain-delta.ts";

const kinds = new Map<unknown, DeltaKind>([
  ["response.output_text.delta", "text"],
  ["response.reasoning_summary_text.delta", "reasoning"],
  ["response.function_call_arguments.delta", "tool-input"],
]);

const type = /"type":\s*"response\.(?:output_text|reasoning_summary_text|function_call_arguments)\.delta"/;

const fields = checks({
  type: isString,
  sequence_number: isNumber,
  item_id: isString,
  output_index: isNumber,
  content_index: isNumber,
  summary_index: isNumber,
  delta: isString,
  logprobs: isAny(isNull, (value) => Array.isArray(value) && value.length === 0),
  obfuscation: isString,
});

function read(data: string): PlainDelta | null {
  if (!type.test(data)) return null;
  const value = parsedEvent(data);
  if (value === null || !isAccepted(value, fields)) return null;
  const { item_id: item, output_index: output, summary_index: summary, delta } = value;
  const kind = kinds.get(value["type"]);
  if (kind === undefined || typeof item !== "string" || typeof delta !== "string" || delta === "") return null;
  const isWhole = kind === "text" || isNumber(kind === "reasoning" ? summary : output);
  if (!isWhole) return null;
  return { kind, key: JSON.stringify([kind, item, output, summary]), delta, value, facts: {} };
}

/** The Responses API. */
export const plainResponses: PlainWire = { read, withDelta: ({ value }, delta) => ({ ...value, delta }) };
