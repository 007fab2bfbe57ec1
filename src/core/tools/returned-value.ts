// Converts what the function of a thread's tool returned to a result (decision 97: a text or any JSON value is a success with that value).

import { isObject } from "#lib/json-value.ts";
import { losslessJson } from "#lib/lossless-json.ts";

import { errorMessage } from "../cut-text.ts";
import type { ToolAnswer } from "../ports/tool-port.ts";
import { errorResult } from "./error-results.ts";

const returnShape =
  'It must return a text, a JSON value or {status: "success" | "error", result?: string, error?: string, …}.';

/**
 * The result for a returned value. An object whose `status` is "success" or "error" is a result already, and is checked where results are
 * read. Undefined, as of a function without `return`, is a success without a text. Contract: never throws.
 */
export function returnedResult(returned: unknown): ToolAnswer {
  if (returned === undefined) return { status: "success" };
  if (typeof returned === "string") return { status: "success", result: returned };
  try {
    if (isObject(returned) && isStatus(returned["status"])) return returned as unknown as ToolAnswer;
    losslessJson(returned);
    return { status: "success", value: returned };
  } catch (thrown) {
    return errorResult(`The tool returned a value that cannot be sent: ${errorMessage(thrown)}. ${returnShape}`);
  }
}

function isStatus(status: unknown): boolean {
  return status === "success" || status === "error";
}
