// Converts errors of all known shapes, in a stream or in place of one, to the one shape that every package reads:
// `{ error: { message, type, code } }`. `classify-failure.ts` decides what an error means.

import { isObject, textOrJson, type Fields } from "#lib/json-value.ts";

function described({ type, code, ...rest }: Fields): Fields {
  const message = rest["message"] ?? rest["detail"] ?? rest["msg"] ?? rest;
  return {
    message: textOrJson(message),
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
  };
}

/** The error in a chunk or in a complete answer. Returns the value itself if it has the usual shape, null if it is no error. */
export function errorEvent(value: Fields): Fields | null {
  const { error, object, choices } = value;
  if (isObject(error)) return typeof error["message"] === "string" ? value : { error: described(error) };
  if (typeof error === "string" && error !== "") return { error: { ...described(value), message: error } };
  // vLLM, LMDeploy and Mistral send the error's fields at the top level, with `object: "error"`.
  if (object === "error") return { error: described(value) };
  const refuses = choices === undefined && (typeof value["message"] === "string" || value["detail"] !== undefined);
  return refuses ? { error: described(value) } : null;
}
