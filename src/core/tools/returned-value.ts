// Converts what the function of a thread's tool returned to a result (decision 97: a text or any JSON value is a success with that value).

import { errorMessage } from "#lib/cut-text.ts";
import { isObject, type Fields } from "#lib/json-value.ts";
import { losslessJson } from "#lib/lossless-json.ts";

import type { ToolAnswer } from "../record/awaited.ts";
import { errorResult } from "./error-results.ts";

const returnShape =
  'It must return a text, a JSON value or {status: "success" | "error", result?: string, error?: string, …}.';

/** The fields of a result next to its status. */
const resultFields = ["result", "error", "content", "attachments", "value", "stack", "details"];

/**
 * The result for a returned value. An object whose `status` is "success" or "error" is a result already, and is checked where results are
 * read, unless it has other fields and none of a result's own, as a row of a database may. Undefined, as of a function without `return`, is a
 * success without a text. Contract: never throws.
 */
export function returnedResult(returned: unknown): ToolAnswer {
  if (returned === undefined) return { status: "success" };
  if (typeof returned === "string") return { status: "success", result: returned };
  try {
    if (isObject(returned) && isResult(returned)) return returned as unknown as ToolAnswer;
    losslessJson(returned);
    return { status: "success", value: returned };
  } catch (thrown) {
    return errorResult(`The tool returned a value that cannot be sent: ${errorMessage(thrown)}. ${returnShape}`);
  }
}

function isResult(returned: Fields): boolean {
  const { status } = returned;
  if (status !== "success" && status !== "error") return false;
  const isPresent = (field: string): boolean => returned[field] !== undefined;
  return resultFields.some(isPresent) || !Object.keys(returned).some((field) => field !== "status" && isPresent(field));
}
