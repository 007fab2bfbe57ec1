// Plain deltas of Chat Completions, with the fields that OpenAI, Azure, OpenRouter and open servers send in each chunk.

import { fieldsOf, isObject, type Fields } from "#lib/json-value.ts";

import type { ChunkFacts } from "../provider-profile.ts";
import {
  checks,
  isAccepted,
  isAny,
  isNull,
  isNumber,
  isOnly,
  isString,
  onlyObject,
  parsedEvent,
  type PlainDelta,
  type PlainWire,
} from "./plain-delta.ts";

/** Azure's verdicts on a text: an object for each filter, whose values are booleans and texts. The packages do not read them. */
function areFilterResults(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isVerdict = (verdict: unknown): boolean =>
    isObject(verdict) &&
    Object.entries(verdict).every(([key, inner]) => isName(key) && (typeof inner === "boolean" || isString(inner)));
  return Object.entries(value).every(([key, verdict]) => isName(key) && isVerdict(verdict));
}

/** Whether the packages accept any object with this key. They refuse keys that could change a prototype. */
function isName(key: string): boolean {
  return key !== "__proto__" && key !== "constructor";
}

const noText = isAny(isNull, isOnly(""));

const chunkFields = checks({
  id: isString,
  object: isOnly("chat.completion.chunk"),
  created: isNumber,
  model: isString,
  provider: isString,
  choices: Array.isArray,
  usage: isNull,
  system_fingerprint: isAny(isString, isNull),
  service_tier: isAny(isString, isNull),
  // Characters without a meaning, which hide the length of a text: OpenAI's and Mistral's name.
  obfuscation: isString,
  p: isString,
});

const choiceFields = checks({
  index: isOnly(0),
  delta: isObject,
  finish_reason: isNull,
  native_finish_reason: isNull,
  stop_reason: isNull,
  matched_stop: isNull,
  logprobs: isNull,
  content_filter_results: areFilterResults,
});

const deltaFields = checks({
  role: isOnly("assistant"),
  content: isAny(isString, isNull),
  reasoning: isAny(isString, isNull),
  reasoning_content: isAny(isString, isNull),
  reasoning_details: Array.isArray,
  refusal: isNull,
  function_call: isNull,
  tool_calls: isAny(Array.isArray, isNull),
  audio: isNull,
  annotations: isNull,
  // Groq's name of the kind of a text.
  channel: isString,
});

const callFields = checks({ index: isNumber, type: isOnly("function"), id: isNull, function: isObject });
const functionFields = checks({ name: isNull, arguments: isString });

const detailFields = checks({
  type: isOnly("reasoning.text"),
  text: isString,
  format: isAny(isString, isNull),
  index: isNumber,
  id: isAny(isString, isNull),
  signature: isNull,
});

/** The field of a delta that has its characters. */
type Field = "content" | "reasoning" | "reasoning_content" | "tool_calls";

const fieldNames: readonly Field[] = ["content", "reasoning_content", "reasoning", "tool_calls"];

/** Whether a field of a delta has content. */
function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && !noText(value);
}

function deltaOf(value: Fields): Fields {
  return fieldsOf(fieldsOf((value["choices"] as unknown[])[0])["delta"]);
}

function read(data: string, endsCalls: boolean): PlainDelta | null {
  if (!data.includes('"delta"')) return null;
  const value = parsedEvent(data);
  if (value === null || !isAccepted(value, chunkFields)) return null;
  const choice = onlyObject(value["choices"]);
  if (choice === null || choice["index"] !== 0 || !isAccepted(choice, choiceFields)) return null;
  const delta = choice["delta"];
  if (!isObject(delta) || !isAccepted(delta, deltaFields)) return null;
  const [field, another] = fieldNames.filter((name) => isFilled(delta[name]));
  if (field === undefined || another !== undefined) return null;
  const modelId = value["model"];
  const facts: ChunkFacts = typeof modelId === "string" ? { modelId } : {};
  if (field === "tool_calls") return readCall(delta, { value, facts, endsCalls });
  const text = delta[field] as string;
  if (field === "content") {
    return hasDetails(delta) ? null : { kind: "text", key: "text", delta: text, value, facts };
  }
  const key = reasoningKey(delta, field, text);
  return key === null
    ? null
    : { kind: "reasoning", key, delta: text, value, facts: { ...facts, thinkingField: field } };
}

function hasDetails(delta: Fields): boolean {
  return isFilled(delta["reasoning_details"]);
}

/**
 * The key of thinking; null if it is not plain. OpenRouter sends its characters a second time in a detail, whose other fields the package
 * keeps, and they have to stay the same.
 */
function reasoningKey(delta: Fields, field: Field, text: string): string | null {
  // A package reads the first field that is not null, also if it is empty.
  if (field === "reasoning" && delta["reasoning_content"] === "") return null;
  if (!hasDetails(delta)) return field;
  const detail = onlyObject(delta["reasoning_details"]);
  if (field !== "reasoning" || detail === null || !isAccepted(detail, detailFields)) return null;
  if (detail["type"] !== "reasoning.text" || detail["text"] !== text) return null;
  const { text: _characters, ...kept } = detail;
  return `${field} ${JSON.stringify(kept)}`;
}

/** Whether arguments that end with these characters may be complete JSON: an object, a list or a text, a number, or a literal. */
function mayEndValue(piece: string): boolean {
  const text = piece.trim();
  const isLiteral = ["true", "false", "null"].some((literal) => literal.endsWith(text));
  return isLiteral || /[}\]"]$/.test(text) || /^[-+.\deE]*\d$/.test(text);
}

function readCall(
  delta: Fields,
  { value, facts, endsCalls }: Pick<PlainDelta, "value" | "facts"> & { endsCalls: boolean },
): PlainDelta | null {
  const call = onlyObject(delta["tool_calls"]);
  if (call === null || hasDetails(delta) || !isAccepted(call, callFields)) return null;
  const called = call["function"];
  if (!isNumber(call["index"]) || !isObject(called) || !isAccepted(called, functionFields)) return null;
  const text = called["arguments"];
  if (typeof text !== "string" || text === "" || (endsCalls && mayEndValue(text))) return null;
  return {
    kind: "tool-input",
    key: `call ${String(call["index"])}`,
    delta: text,
    value,
    facts: { ...facts, calls: [call] },
  };
}

function withDelta({ kind, key, value }: PlainDelta, text: string): Fields {
  const choice = fieldsOf((value["choices"] as unknown[])[0]);
  const delta = deltaOf(value);
  const changed = { ...delta };
  if (kind === "tool-input") {
    const call = fieldsOf((delta["tool_calls"] as unknown[])[0]);
    changed["tool_calls"] = [{ ...call, function: { ...fieldsOf(call["function"]), arguments: text } }];
  } else {
    changed[kind === "text" ? "content" : (key.split(" ")[0] ?? "")] = text;
    if (hasDetails(delta)) {
      changed["reasoning_details"] = [{ ...fieldsOf((delta["reasoning_details"] as unknown[])[0]), text }];
    }
  }
  return { ...value, choices: [{ ...choice, delta: changed }] };
}

/** Chat Completions whose package ends calls with the stream. */
export const plainChat: PlainWire = { read: (data) => read(data, false), withDelta };

/** Chat Completions whose package ends a call as soon as its arguments are JSON. So characters that may end a value are not plain. */
export const plainChatEndingCalls: PlainWire = { read: (data) => read(data, true), withDelta };
