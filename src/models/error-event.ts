// Converts errors of all known shapes, in a stream or in place of one, to the one shape that every package reads:
// `{ error: { message, type, code } }`. `classify-failure.ts` decides what an error means.

import { fieldsOf, isObject, textOrJson, type Fields } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { messageFields, sentenceOf } from "./error-sentence.ts";

const codeNames = [
  "code",
  "Code",
  "error_code",
  "errorCode",
  "errcode",
  "err_code",
  "status_code",
  "statusCode",
  "status",
];

/** The code of an error under one of its names. Zero and an empty text are no codes. */
function codeOf(fields: Fields): string | number | undefined {
  const codes = codeNames.map((name) => fields[name]);
  return codes.find((code) => (typeof code === "string" && code !== "") || (typeof code === "number" && code !== 0)) as
    | string
    | number
    | undefined;
}

function described(fields: Fields): Fields {
  const { type, code: _code, ...rest } = fields;
  const code = codeOf(fields) ?? codeOf(fieldsOf(fields["base_resp"]));
  return {
    message: sentenceOf(rest) ?? textOrJson(rest),
    ...(typeof type === "string" ? { type } : {}),
    ...(code === undefined ? {} : { code }),
  };
}

/** Codes that servers send with a success. */
const successes = new Set<unknown>([undefined, 200, "200", "0", "ok", "OK", "success", "Success"]);

const failed = new Set<unknown>(["error", "ERROR", "fail", "failed", "failure"]);

/** Whether an object without the fields of an answer reports an error: by a message, by a list of errors, by a flag, or by a code. */
function reportsError(value: Fields): boolean {
  const { errors, success, detail, choices, base_resp: base, status, ...coded } = value;
  const isError = (fields: Fields): boolean => !successes.has(codeOf(fields));
  if (
    success === false ||
    failed.has(status) ||
    (Array.isArray(errors) && errors.length > 0) ||
    isError(fieldsOf(base))
  )
    return true;
  // The last chunk of an answer may have an empty list of choices, and its token counts with the message of a success.
  const isSuccess =
    choices !== undefined && !isError(coded) && (success === true || codeNames.some((name) => name in coded));
  if (isSuccess) return false;
  if (detail !== undefined || messageFields.some((name) => typeof value[name] === "string")) return true;
  return isError(coded) && typeof value["reason"] === "string" && isVisible(value["reason"]);
}

/** Whether a field of an error states nothing: servers send empty errors in each chunk of an answer. */
function isNothing(value: unknown): boolean {
  return value === null || value === "" || value === 0 || value === false;
}

/** The error in a chunk or in a complete answer. Returns the value itself if it has the usual shape, null if it is no error. */
export function errorEvent(value: Fields): Fields | null {
  const { error, object, choices } = value;
  const isEmpty = choices !== undefined && Object.values(fieldsOf(error)).every(isNothing);
  if (isObject(error) && !isEmpty) return typeof error["message"] === "string" ? value : { error: described(error) };
  if (typeof error === "string" && error !== "") return { error: { ...described(value), message: error } };
  // vLLM, LMDeploy and Mistral send the error's fields at the top level, with `object: "error"`.
  if (object === "error") return { error: described(value) };
  const hasChoice = Array.isArray(choices) ? choices.length > 0 : choices !== undefined && choices !== null;
  return !hasChoice && reportsError(value) ? { error: described(value) } : null;
}

/** How deep a document that is no answer is searched for an error, and how many values of a list. */
const deepest = 3;
const mostEntries = 10;

/** The error in a document that is no answer: of the document itself, or of an object or a list inside of it. */
export function errorOfDocument(value: unknown, depth = 0): Fields | null {
  if (depth === 0 && typeof value === "string" && isVisible(value)) return { error: { message: value } };
  if (depth > deepest || typeof value !== "object" || value === null) return null;
  const own = isObject(value) ? errorEvent(value) : null;
  if (own !== null) return own;
  for (const inner of Object.values(value).slice(0, Array.isArray(value) ? mostEntries : Infinity)) {
    const found = errorOfDocument(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
