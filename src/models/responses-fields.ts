// The fields of the Responses API in the form that OpenAI's package of the AI SDK accepts. The package refuses an event if one field of it has
// another type, and the answer would be lost.

import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";

/** The kinds of items whose events are repaired. */
export type Kind = "message" | "reasoning" | "function_call";
const kinds = new Set<unknown>(["message", "reasoning", "function_call"]);

/** Whether a value is a text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A text; empty for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number; null for any other value. */
export function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** Whether a kind of items is repaired. Other items pass unchanged. */
export function isKind(value: unknown): value is Kind {
  return kinds.has(value);
}

/** Whether two objects have the same fields. */
export function isSame(left: Fields, right: Fields): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}

const phases = new Set<unknown>(["commentary", "final_answer", null, undefined]);

/** The fields of an item with the id that the package knows, and without fields that it refuses. */
export function cleanItem(fields: Fields, { kind, id, callId }: { kind: Kind; id: string; callId: string }): Fields {
  const clean: Fields = { ...fields, id };
  if (kind === "function_call") clean["call_id"] = callId;
  if (!phases.has(fields["phase"])) delete clean["phase"];
  const { encrypted_content: encrypted } = fields;
  if (encrypted !== undefined && encrypted !== null && typeof encrypted !== "string") delete clean["encrypted_content"];
  return clean;
}

/** Whether the package accepts the probabilities of a piece of text. */
export function areLogprobs(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const isPair = (entry: unknown): boolean => {
    const { token, logprob } = fieldsOf(entry);
    return typeof token === "string" && typeof logprob === "number";
  };
  return (
    Array.isArray(value) &&
    value.every(
      (entry) =>
        isPair(entry) &&
        listOf(fieldsOf(entry)["top_logprobs"]).every(isPair) &&
        Array.isArray(fieldsOf(entry)["top_logprobs"]),
    )
  );
}

/** The fields of a complete answer without those that the package refuses. */
export function cleanResponse(response: Fields): Fields {
  const { usage, incomplete_details: details } = response;
  const { input_tokens, output_tokens } = fieldsOf(usage);
  const clean = { ...response };
  if (isObject(usage) && (numberOf(input_tokens) === null || numberOf(output_tokens) === null)) clean["usage"] = null;
  if (details !== undefined && details !== null && !isText(fieldsOf(details)["reason"]))
    clean["incomplete_details"] = null;
  return clean;
}
