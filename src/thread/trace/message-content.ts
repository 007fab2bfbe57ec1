// The content of messages as attributes of spans, for deployments that enable it. The form is that of the GenAI semantic conventions.
// Texts are shortened, and old messages are left out, so that an attribute has a bounded size. Secrets are removed from a text before it is
// shortened: a redactor does not recognise a part of a secret.

import type { MessageRecord } from "#core/record/record.ts";
import type { StoredPart } from "#core/record/record.ts";
import { textOrJson } from "#lib/json-value.ts";

/** The maximum number of UTF-16 units of one text. */
const longestText = 8192;
/** The maximum number of UTF-16 units of an attribute. */
const longestAttribute = 65_536;

/** Removes the deployment's secrets from a text. */
type Redact = (text: string) => string;

/** A text without secrets and with at most `longestText` units. */
export function boundedText(text: string, redact: Redact): string {
  const clean = redact(text);
  return clean.length <= longestText
    ? clean
    : `${clean.slice(0, longestText).toWellFormed()}… (${clean.length} characters)`;
}

function partContent(part: StoredPart, redact: Redact): object {
  switch (part.type) {
    case "text":
      return { type: "text", content: boundedText(part.text, redact) };
    case "thinking":
      return { type: "reasoning", content: boundedText(part.thinking, redact) };
    case "tool_call":
      return {
        type: "tool_call",
        id: part.id,
        name: part.name,
        arguments: boundedText(textOrJson(part.arguments), redact),
      };
    case "provider_tool":
      return {
        type: "server_tool_call",
        id: part.id,
        name: part.name,
        server_tool_call: boundedText(textOrJson(part.input), redact),
        server_tool_call_response: boundedText(textOrJson(part.output), redact),
      };
    default:
      return { type: part.type, mime_type: part.mime_type };
  }
}

function messageContent({ role, parts, tool_call_id, result }: MessageRecord, redact: Redact): object {
  if (role !== "tool") return { role, parts: parts.map((part) => partContent(part, redact)) };
  const response = boundedText(result?.error ?? result?.result ?? "", redact);
  return { role, parts: [{ type: "tool_call_response", id: tool_call_id, response }] };
}

/** The messages as JSON. The oldest ones are left out if all of them are too long. */
export function inputContent(messages: readonly MessageRecord[], redact: Redact): string {
  const texts: string[] = [];
  let length = 2;
  for (const message of messages.toReversed()) {
    const text = JSON.stringify(messageContent(message, redact));
    length += text.length + 1;
    if (length > longestAttribute) break;
    texts.unshift(text);
  }
  return `[${texts.join(",")}]`;
}

/** An answer as JSON: a list with this one message, or with only its first part if the message is too long. */
export function outputContent(answer: MessageRecord, redact: Redact): string {
  const parts = answer.parts.map((part) => partContent(part, redact));
  const content = { role: "assistant", parts, finish_reason: answer.stop_reason };
  const text = JSON.stringify([content]);
  return text.length <= longestAttribute ? text : JSON.stringify([{ ...content, parts: parts.slice(0, 1) }]);
}
