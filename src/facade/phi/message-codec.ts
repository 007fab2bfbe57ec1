// Converts between the messages of phi-core's document and those of the core: records of answers, and messages of model requests.

import type { JsonObject } from "#contract/json.ts";
import type { StopReason as CoreStopReason } from "#contract/thread-message.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { MessageRecord, ProviderData, StoredPart } from "#core/record/record.ts";
import { fieldsOf, isObject } from "#lib/json-value.ts";
import { isUnchanged, plainCopy } from "#lib/plain-copy.ts";

import type { AssistantMessage, Content, Message, StopReason } from "./loop-messages.ts";
import { textOfContent, zeroTokens } from "./loop-messages.ts";

/** The stop reason of the document. A refusal of the provider has no variant there: it is an error (record 63). */
export function stopReasonOf(reason: CoreStopReason | null): StopReason {
  switch (reason) {
    case "tool_calls":
      return "toolUse";
    case "content_filter":
      return "error";
    default:
      return reason ?? "stop";
  }
}

/** The signature in the opaque data of thinking; undefined if there is none. */
function signatureIn({ data }: ProviderData): string | undefined {
  for (const value of [data, ...Object.values(data)]) {
    const fields = fieldsOf(value);
    const signature = signatureNames.map((name) => fields[name]).find((one) => typeof one === "string");
    if (typeof signature === "string") return signature;
  }
  return undefined;
}

/** The blocks of stored parts. A file that is no image has no block in the document, so a line of text names it. */
export function contentOf(parts: readonly StoredPart[]): Content[] {
  return parts.flatMap((part): Content | [] => {
    const extra = part.provider_data === undefined ? {} : { provider_data: part.provider_data };
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text, ...extra };
      case "thinking": {
        const signature = part.provider_data === undefined ? undefined : signatureIn(part.provider_data);
        return {
          type: "thinking",
          thinking: part.thinking,
          ...(signature === undefined ? {} : { signature }),
          ...extra,
        };
      }
      case "tool_call":
        return { type: "toolCall", id: part.id, name: part.name, arguments: part.arguments, ...extra };
      // The document has no block for a tool that the provider executed.
      case "provider_tool":
        return [];
      case "image":
        return { type: "image", data: part.data ?? "", mime_type: part.mime_type };
      case "file":
        return { type: "text", text: `[A file of the type ${part.mime_type} is not shown.]` };
    }
  });
}

/** A stored part that a block can have. */
export type BlockPart = Exclude<StoredPart, { type: "provider_tool" }>;

/** The stored parts of blocks. `provider` is the id of the provider that made the message; null for a message of a user or a tool. */
export function partsOf(content: readonly Content[], provider: string | null): BlockPart[] {
  return content.map((block): BlockPart => {
    const { provider_data } = block as { provider_data?: ProviderData };
    const extra = provider_data === undefined ? {} : { provider_data };
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text, ...extra };
      case "image":
        return { type: "image", mime_type: block.mime_type, data: block.data };
      case "thinking": {
        const { signature } = block;
        const own = provider_data ?? (typeof signature === "string" ? signed(signature, provider) : undefined);
        return { type: "thinking", thinking: block.thinking, ...(own === undefined ? {} : { provider_data: own }) };
      }
      case "toolCall": {
        const { id, name, arguments: given } = block;
        const call = { type: "tool_call" as const, id, name };
        if (isObject(given)) return { ...call, arguments: given as JsonObject, ...extra };
        return {
          ...call,
          arguments: typeof given === "string" ? given : JSON.stringify(given),
          invalid: true,
          ...extra,
        };
      }
    }
  });
}

/** The names of signatures in the data of providers. */
const signatureNames = ["signature", "thoughtSignature"] as const;

/** The opaque data of a signature that a message has without its data. Each provider reads its own name and ignores the other. */
function signed(signature: string, provider: string | null): ProviderData | undefined {
  if (provider === null) return undefined;
  return { provider, data: { [provider]: Object.fromEntries(signatureNames.map((name) => [name, signature])) } };
}

/** The answer of a record. `error` is the text of its failure; null if it did not fail. */
export function answerOf(
  { parts, stop_reason, model, usage, created_at, failure, stop_detail }: MessageRecord,
  { model_id, provider_id }: { model_id: string; provider_id: string },
): AssistantMessage {
  const reason = stopReasonOf(stop_reason);
  const error = failure?.message ?? stop_detail ?? (reason === "error" ? refused : null);
  return {
    role: "assistant",
    content: contentOf(parts),
    stop_reason: reason,
    model: model_id === "" ? (model ?? "") : model_id,
    provider: provider_id,
    usage: usage ?? zeroTokens(),
    timestamp: Math.floor(created_at / 1000),
    ...(reason === "error" ? { error_message: error } : {}),
  };
}

const refused = "The provider stopped the answer.";

/** The messages that messages of requests were made of, by the list of their parts. The core never changes such a list in place. */
const sources = new WeakMap<readonly StoredPart[], Message>();

/** Conversions of messages, because each request contains those of the request before. `original`: the message when it was converted. */
const conversions = new WeakMap<Message, { original: Message; converted: ModelMessage }>();

/** The message of a model request. */
export function modelMessageOf(message: Message): ModelMessage {
  const known = conversions.get(message);
  if (known !== undefined && isUnchanged(message, known.original)) return known.converted;
  const converted = convertMessage(message);
  sources.set(converted.parts, message);
  conversions.set(message, { original: plainCopy(message), converted });
  return converted;
}

/** Makes the copy of a message use the conversion of the original, so that copies for several loops are converted once. */
export function shareConversion(original: Message, copy: Message): void {
  modelMessageOf(original);
  const known = conversions.get(original);
  if (known !== undefined) conversions.set(copy, known);
}

function convertMessage(message: Message): ModelMessage {
  const none = { id: null, name: null, tool_call_id: null, result: null };
  switch (message.role) {
    case "user":
      return { ...none, role: "user", parts: partsOf(message.content, null) };
    case "assistant":
      return { ...none, role: "assistant", parts: partsOf(message.content, message.provider) };
    case "toolResult": {
      const { tool_call_id, tool_name, is_error, content } = message;
      const text = textOfContent(content);
      return {
        id: null,
        role: "tool",
        parts: partsOf(content, null),
        name: tool_name,
        tool_call_id,
        result: is_error ? { status: "error", error: text } : { status: "success", result: text },
      };
    }
  }
}

/** The message of a model request as the document's message, for a provider that a program implements. */
export function messageOfModel(message: ModelMessage, provider: string, timestamp: number): Message {
  const { role, parts, result } = message;
  const source = sources.get(parts);
  // The times, the token counts and the model of a message are not a part of a model request.
  if (source !== undefined) return { ...source, content: source.content.map((block) => ({ ...block })) };
  const content = contentOf(parts);
  switch (role) {
    case "assistant": {
      const stop_reason = parts.some(({ type }) => type === "tool_call") ? "toolUse" : "stop";
      return { role, content, stop_reason, model: "", provider, usage: zeroTokens(), timestamp };
    }
    case "tool": {
      const { tool_call_id, name } = message;
      const is_error = result?.status === "error";
      return {
        role: "toolResult",
        tool_call_id: tool_call_id ?? "",
        tool_name: name ?? "",
        content,
        is_error,
        timestamp,
      };
    }
    default:
      return { role: "user", content, timestamp };
  }
}
