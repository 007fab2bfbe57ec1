// Finds the message of a provider in an error body. Invariant: a message that servers nest in JSON is found without the JSON around it.

import { isObject, parseJson } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

/** Fields whose text is the message of an error, in the order of the search. */
export const messageFields = [
  "message",
  "Message",
  "msg",
  "error_message",
  "errorMessage",
  "error_msg",
  "errorMsg",
  "err_msg",
  "errmsg",
  "error_description",
  "status_msg",
  "faultstring",
];

/** Fields that hold the message, or an object with it, in the order of the search. */
const sentenceFields = [
  ...messageFields.slice(0, 3),
  "error",
  "detail",
  "errors",
  ...messageFields.slice(3),
  "description",
  "title",
  "reason",
  // MiniMax.
  "base_resp",
  "data",
];

const deepest = 6;
const mostSentences = 5;

/**
 * The message of a parsed body, or of a text that may hold JSON; null if there is none. Servers nest it in JSON of many shapes. The search
 * covers the fields that are known to hold messages, up to six levels deep, so that a user sees the message without the JSON around it.
 */
export function sentenceOf(value: unknown, depth = 0): string | null {
  if (depth > deepest) return null;
  if (typeof value === "string") return sentenceOfText(value.trim(), depth);
  if (Array.isArray(value)) {
    const found = value.slice(0, 50).map((item) => sentenceOf(item, depth + 1));
    const sentences = [...new Set(found.filter((sentence) => sentence !== null))].slice(0, mostSentences);
    return sentences.length === 0 ? null : sentences.join("; ");
  }
  if (!isObject(value)) return null;
  for (const name of sentenceFields) {
    const sentence = Object.hasOwn(value, name) ? sentenceOf(value[name], depth + 1) : null;
    if (sentence !== null) return withField(sentence, value["loc"]);
  }
  return null;
}

function sentenceOfText(text: string, depth: number): string | null {
  if (!isVisible(text)) return null;
  if (!/^[[{]/.test(text)) return text;
  const parsed = parseJson(text);
  return parsed === undefined ? text : sentenceOf(parsed, depth + 1);
}

/** Adds the name of the refused field, which servers made with FastAPI send in `loc`. */
function withField(sentence: string, loc: unknown): string {
  const path = Array.isArray(loc) ? loc.filter((name) => typeof name === "string" || typeof name === "number") : [];
  return path.length === 0 ? sentence : `${path.join(".")}: ${sentence}`;
}
