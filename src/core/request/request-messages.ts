// Converts stored messages to messages of a model request, and adds the last message that a request may need.

import type { ModelMessage } from "../ports/model-port.ts";
import type { StepShape } from "../ports/strategy-port.ts";
import type { MessageRecord, StoredPart } from "../record/record.ts";
import { textOf } from "../record/view.ts";

/** Whether a message may be sent to a model: not one of role `extension`, and not a call in progress. */
export function isSendable({ role, status }: MessageRecord): boolean {
  return role !== "extension" && status === "complete";
}

/** The message for a request. If a person changed the arguments of a call, its result names the new arguments to the model. */
export function modelMessage(record: MessageRecord): ModelMessage {
  const { id, role, parts, name, tool_call_id, result, approval } = record;
  const message = { id, role: role === "extension" ? ("system" as const) : role, parts, name, tool_call_id, result };
  if (approval?.args === undefined) return message;
  // The call in the history keeps the arguments that the model requested, and the stored result is not changed: only the request has this
  // text.
  const changed = `(A person changed the arguments to ${JSON.stringify(approval.args)} before the call ran.)`;
  return withMessageText(message, `${changed}\n${textOf(parts) ?? ""}`);
}

/** The text of a tool message: its result. */
export function resultText({ parts, result }: ModelMessage): string {
  return result?.result ?? result?.error ?? textOf(parts) ?? "";
}

/** The message with another text. The text of a tool message is its result. */
export function withMessageText(message: ModelMessage, text: string): ModelMessage {
  const { result } = message;
  return {
    ...message,
    parts: withText(message.parts, text),
    result: result === null ? null : resultWithText(result, text),
  };
}

/** The parts with another text: it replaces the first text part, and further text parts are dropped. */
export function withText(parts: readonly StoredPart[], text: string): StoredPart[] {
  const at = parts.findIndex((part) => part.type === "text");
  const others = parts.filter((part, index) => part.type !== "text" || index === at);
  if (at === -1) return [{ type: "text", text }, ...others];
  return others.map((part) => (part.type === "text" ? { type: "text", text } : part));
}

/** A tool's result with another text. */
export function resultWithText(result: NonNullable<MessageRecord["result"]>, text: string) {
  return result.status === "error" ? { ...result, error: text } : { ...result, result: text };
}

/** The step's instruction, if it is sent with this request only. An instruction with `keep` is among the stored messages already. */
export function unstoredInstruction({ instruction }: StepShape): string | undefined {
  return instruction?.keep === false ? instruction.text : undefined;
}

/**
 * Adds a user message to the end: the step's instruction if there is one, else a request to continue if the last message is an assistant's.
 * Otherwise adds none.
 */
export function endWithPrompt(messages: readonly ModelMessage[], instruction?: string): ModelMessage[] {
  if (instruction !== undefined) return [...messages, unstoredUserMessage(instruction)];
  return messages.at(-1)?.role === "assistant" ? [...messages, unstoredUserMessage(continueText)] : [...messages];
}

/**
 * Sent after an answer that the model should continue. Some models refuse a history that ends with an answer; others treat it as the
 * beginning of their next answer.
 */
const continueText = "Continue.";

/** A user message that is sent and not stored. */
export function unstoredUserMessage(text: string): ModelMessage {
  return { id: null, role: "user", parts: [{ type: "text", text }], name: null, tool_call_id: null, result: null };
}
