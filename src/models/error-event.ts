// Converts errors of all known shapes, in a stream or in place of one, to the one shape that every package reads:
// `{ error: { message, type, code } }`. `classify-failure.ts` decides what an error means.

import { isObject, textOrJson, type Fields } from "#lib/json-value.ts";

import { sentenceOf } from "./error-sentence.ts";

const codeNames = ["code", "error_code", "errorCode", "errcode", "err_code", "status_code", "statusCode", "status"];

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
  const code = codeOf(fields);
  return {
    message: sentenceOf(rest) ?? textOrJson(rest),
    ...(typeof type === "string" ? { type } : {}),
    ...(code === undefined ? {} : { code }),
  };
}

const messageNames = ["message", "msg", "detail", "error_msg", "errorMsg", "err_msg", "errmsg", "error_message"];

/** Whether an object without the fields of an answer reports an error: by a message, by a list of errors, or by a flag. */
function reportsError(value: Fields): boolean {
  const { errors, success, detail } = value;
  if (messageNames.some((name) => typeof value[name] === "string") || detail !== undefined) return true;
  return success === false || (Array.isArray(errors) && errors.length > 0);
}

/** The error in a chunk or in a complete answer. Returns the value itself if it has the usual shape, null if it is no error. */
export function errorEvent(value: Fields): Fields | null {
  const { error, object, choices } = value;
  if (isObject(error)) return typeof error["message"] === "string" ? value : { error: described(error) };
  if (typeof error === "string" && error !== "") return { error: { ...described(value), message: error } };
  // vLLM, LMDeploy and Mistral send the error's fields at the top level, with `object: "error"`.
  if (object === "error") return { error: described(value) };
  return choices === undefined && reportsError(value) ? { error: described(value) } : null;
}
