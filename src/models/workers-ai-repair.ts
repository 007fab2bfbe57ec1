// Repairs the streams of Workers AI. Its newer models send chunks of Chat Completions. The older form has the text in `response`, whole tool
// calls in `tool_calls`, and no finish reason. Errors have a code of Workers AI, which is not the status of HTTP.

import { fieldsOf, isObject, listOf, parseJson, type Fields } from "#lib/json-value.ts";

import { ChatRepair } from "./chat-repair.ts";
import type { StreamRepair } from "./stream-repair.ts";

/**
 * The types of errors by the codes of Workers AI (https://developers.cloudflare.com/workers-ai/platform/errors/). `failure-facts.ts` reads the
 * types.
 */
const typeOfCode: Readonly<Record<number, string>> = {
  3003: "invalid_request_error",
  3006: "request_too_large",
  3007: "timeout_error",
  3008: "timeout_error",
  3023: "permission_error",
  3036: "rate_limit_error",
  3039: "invalid_request_error",
  3040: "rate_limit_error",
  3041: "permission_error",
  3042: "not_found_error",
  5004: "invalid_request_error",
  5005: "invalid_request_error",
  5006: "invalid_request_error",
  5007: "invalid_request_error",
  5016: "permission_error",
  5018: "permission_error",
  5019: "invalid_request_error",
  5021: "invalid_request_error",
};

/** The error of a chunk or a document in the form of every provider; null for any other value. */
function errorOf({ internalCode, description, errors }: Fields): Fields | null {
  const [first] = listOf(errors);
  const { code, message } =
    typeof internalCode === "number" ? { code: internalCode, message: description } : fieldsOf(first);
  if (typeof code !== "number" || typeof message !== "string") return null;
  const type = typeOfCode[code] ?? "api_error";
  return { error: { message: `${code}: ${message}`, type, code: String(code) } };
}

/** The text of an answer in the older form: structured output is an object, and a number is sent as it is. */
function textOfResponse(response: unknown): string | null {
  if (response === null || response === undefined || response === "") return null;
  return typeof response === "string" ? response : JSON.stringify(response);
}

/** A piece of the older form in the form of Chat Completions; null for any other value. */
function chatForm(value: Fields, piece: "delta" | "message"): Fields | null {
  if (value["choices"] !== undefined || !("response" in value || Array.isArray(value["tool_calls"]))) return null;
  const { response, tool_calls: calls, usage, finish_reason } = value;
  const content = textOfResponse(response);
  const part = {
    ...(content === null ? {} : { content }),
    ...(listOf(calls).some(isCall) ? { tool_calls: listOf(calls).filter(isCall) } : {}),
  };
  const choice = { index: 0, [piece]: part, ...(finish_reason === undefined ? {} : { finish_reason }) };
  return { choices: [choice], ...(isObject(usage) ? { usage } : {}) };
}

/** Whether an entry has a part of a call. Workers AI ends a streamed call with an entry whose fields are null. */
function isCall(call: unknown): boolean {
  const { id, name, arguments: given, function: inner } = fieldsOf(call);
  const fields = fieldsOf(inner);
  return [id, name, given, fields["name"], fields["arguments"]].some((field) => (field ?? "") !== "");
}

/** Repairs the chunks of one answer. */
export class WorkersAiRepair implements StreamRepair {
  readonly #chat: ChatRepair;

  constructor(toolNames: readonly string[]) {
    this.#chat = new ChatRepair(toolNames);
  }

  take(data: string): string[] {
    if (usual.test(data)) return this.#chat.take(data);
    const chunk = parseJson(data);
    if (!isObject(chunk)) return this.#chat.take(data);
    const repaired = errorOf(chunk) ?? chatForm(chunk, "delta");
    return this.#chat.take(repaired === null ? data : JSON.stringify(repaired));
  }
}

/** A chunk of Chat Completions begins with one of these fields. */
const usual = /^\s*\{\s*"(?:id|object|choices)":/;

/** The events of an answer that is one document, with or without the envelope of Cloudflare's API; null for any other document. */
export function eventsOfAnswer(value: unknown): string | null {
  if (!isObject(value)) return null;
  const answer = isObject(value["result"]) ? value["result"] : value;
  const whole = isObject(listOf(answer["choices"])[0]) ? answer : chatForm(answer, "message");
  if (whole !== null) return `data: ${JSON.stringify(whole)}\n\ndata: [DONE]\n\n`;
  const error = errorOf(value);
  return error === null ? null : `data: ${JSON.stringify(error)}\n\n`;
}
