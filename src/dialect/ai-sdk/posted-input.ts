// Extracts what is new from the messages that a chat posts. The client sends its whole copy of the conversation, and
// the thread's stored messages are the authority, so only one message is read: the last one, if it is a new message of
// the user, or the assistant's message whose calls are answered. Of an assistant's message, only outputs and approvals
// of calls that the thread waits for are used.

import { z } from "zod";

import type { InputContent } from "#contract/content.ts";
import { jsonObjectSchema, jsonSchema } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import { invalidField } from "#http/input/field-error.ts";

import type { ChatRequest } from "./routes.ts";

const messageSchema = z.looseObject({
  id: z.string().max(200).default(""),
  role: z.enum(["user", "assistant", "system"]),
  parts: z.array(z.looseObject({ type: z.string() })),
  metadata: jsonSchema.optional(),
});
type PostedMessage = z.output<typeof messageSchema>;

const textSchema = z.looseObject({ type: z.literal("text"), text: z.string() });
const fileSchema = z.looseObject({
  type: z.literal("file"),
  mediaType: z.string().min(1).max(200),
  url: z.string().min(1),
  filename: z.string().min(1).max(255).optional(),
});

/** A tool part that has an output, an error or an approval. */
const toolSchema = z.union([
  z.looseObject({ toolCallId: z.string(), state: z.literal("output-available"), output: jsonSchema.optional() }),
  z.looseObject({ toolCallId: z.string(), state: z.literal("output-error"), errorText: z.string().optional() }),
  z.looseObject({
    toolCallId: z.string(),
    state: z.literal("approval-responded"),
    approval: z.looseObject({ approved: z.boolean(), reason: z.string().optional() }),
  }),
]);

/** What a request adds to the conversation. */
export type PostedInput =
  | { kind: "message"; id: string; content: InputContent; metadata: JsonObject }
  | { kind: "answers"; message: PostedMessage };

/** Reads the new input. Refuses a message whose parts cannot be stored. */
export function readPostedInput({ messages, messageId }: ChatRequest): PostedInput {
  const named = messageId === undefined ? -1 : messages.findLastIndex((one) => idOf(one) === messageId);
  const last = messages.length - 1;
  // Results may belong to an earlier message of the assistant; a user message is new only at the end of the list.
  const index = named >= 0 && roleOf(messages[named]) === "assistant" ? named : last;
  const path = `messages.${String(index)}`;
  const message = readAt(messageSchema, messages[index], path);
  switch (message.role) {
    case "user":
      return {
        kind: "message",
        id: message.id,
        content: contentOf(message, path),
        metadata: metadataOf(message, path),
      };
    case "assistant":
      return { kind: "answers", message };
    case "system":
      throw invalidField(`${path}.role`, "Has to be user or assistant: instructions are the agent's");
  }
}

/** The outputs and approvals in a message for the calls that the thread waits for. */
export function readAnswers({ parts }: PostedMessage, pending: readonly PendingCall[]): PostedResult[] {
  return pending.flatMap(({ id, kind }): PostedResult[] => {
    const part = toolSchema.safeParse(parts.findLast(({ toolCallId }) => toolCallId === id)).data;
    if (part === undefined) return [];
    if (part.state === "approval-responded") {
      if (kind !== "approval") return [];
      const { approved, reason = "" } = part.approval;
      return [{ tool_call_id: id, approved, ...(approved || reason === "" ? {} : { error: reason }) }];
    }
    if (kind !== "remote") return [];
    if (part.state === "output-error") return [{ tool_call_id: id, error: part.errorText || "The tool failed." }];
    return [{ tool_call_id: id, ...(part.output === undefined ? { content: "" } : { result: part.output }) }];
  });
}

/** The ids of the calls in a posted message. */
export function callsOf({ parts }: PostedMessage): string[] {
  return parts.flatMap(({ toolCallId }) => (typeof toolCallId === "string" ? [toolCallId] : []));
}

function contentOf({ parts }: PostedMessage, path: string): InputContent {
  const content = parts.map((part, index) => {
    const at = `${path}.parts.${String(index)}`;
    switch (part.type) {
      case "text":
        return { type: "text" as const, text: readAt(textSchema, part, at).text };
      case "file":
        return fileOf(readAt(fileSchema, part, at), `${at}.url`);
      default:
        throw invalidField(`${at}.type`, `A user's message takes text and file, not "${part.type}"`);
    }
  });
  if (content.length === 0) throw invalidField(`${path}.parts`, "Has to have a part");
  return content;
}

/** A file part as an attachment: inline bytes (`data:`), an external address, or a file of the thread. */
function fileOf({ mediaType: mime_type, url, filename }: z.output<typeof fileSchema>, path: string) {
  const base = {
    type: mime_type.startsWith("image/") ? ("image" as const) : ("file" as const),
    mime_type,
    ...(filename === undefined ? {} : { name: filename }),
  };
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  if (data !== undefined) return { ...base, data };
  const file = /^\/api\/(?:~\/)?threads\/[^/]+\/files\/(.+)$/.exec(url)?.[1];
  if (file !== undefined) return { ...base, path: `/${decodedPath(file, path)}` };
  if (/^https?:\/\//.test(url)) return { ...base, url };
  throw invalidField(path, "Has to be a data URL in base64, an http address, or the address of a file of the thread");
}

function decodedPath(text: string, path: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidField(path, "Is not validly encoded");
  }
}

function metadataOf({ metadata = null }: PostedMessage, path: string): JsonObject {
  if (metadata === null) return {};
  return readAt(jsonObjectSchema, metadata, `${path}.metadata`);
}

function idOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
}

function roleOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "role" in message ? message.role : undefined;
}

/** Parses a value with a schema. A refusal names the field's path within the request. */
function readAt<S extends z.ZodType>(schema: S, value: unknown, path: string): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw invalidField([path, ...(issue?.path ?? [])].map(String).join("."), issue?.message ?? "Invalid input");
}
