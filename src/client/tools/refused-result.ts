// Results of calls that a page ran and that the server refuses because of their content, for example a result that is too large. The page
// shows such a call as answered, so the call gets an error result with the reason. Otherwise the run would wait until the call's deadline.

import type { Json } from "#contract/json.ts";

import type { ToolResults } from "../call-results.ts";
import { ThreadholdClientError } from "../client-error.ts";

/** The maximum length of a reason. The text may contain a part of the refused result. */
const longestReason = 10_000;

/** Whether the server refused a result because of its content. */
export function isContentRefusal(thrown: unknown): thrown is ThreadholdClientError {
  return thrown instanceof ThreadholdClientError && (thrown.code === "too_large" || thrown.code === "invalid_request");
}

/** The reason of a failed call, from what was thrown, as a text that the server accepts. */
export function failureReason(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.slice(0, longestReason).toWellFormed() || "The tool failed.";
}

/** A value as JSON; a value without a JSON form at its top, such as undefined, becomes null. Throws for other values without a JSON form. */
export function jsonOf(value: unknown): Json {
  return JSON.parse((JSON.stringify(value) as string | undefined) ?? "null") as Json;
}

/**
 * Posts the result of a call that the page ran. If the result has no JSON form, or the server refuses its content, the call gets an error
 * result with the reason, and the error is thrown.
 */
export async function answerOrFail(
  tools: Pick<ToolResults, "answer" | "fail">,
  callId: string,
  result: unknown,
): Promise<void> {
  let json: Json | undefined;
  try {
    json = jsonOf(result);
    await tools.answer(callId, json);
  } catch (thrown) {
    if (json !== undefined && !isContentRefusal(thrown)) throw thrown;
    await tools.fail(callId, failureReason(thrown));
    throw thrown;
  }
}
