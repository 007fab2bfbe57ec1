// What is new in the messages that a chat posts. The client sends its whole copy of the conversation; the thread has the true one. So
// one message is read and nothing else: the last one, if it is a new message of the user, or the message of the assistant whose calls
// are answered. Of that one, only outputs and approvals of calls that the thread waits for are taken.

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

/** A tool part that says something about its call. */
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

/** Reads it. Refuses a message whose parts cannot be stored. */
export function readPostedInput({ messages, messageId }: ChatRequest): PostedInput {
  const named = messageId === undefined ? -1 : messages.findLastIndex((one) => idOf(one) === messageId);
  const last = messages.length - 1;
  // An answer may go to an earlier message of the assistant; a message of the user is new only at the end.
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

/** The calls of a posted message. */
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

/** A file in the address itself (`data:`), at another address, or of the thread. */
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

/** The value as the schema gives it. A refusal names the field within the request. */
function readAt<S extends z.ZodType>(schema: S, value: unknown, path: string): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw invalidField([path, ...(issue?.path ?? [])].map(String).join("."), issue?.message ?? "Invalid input");
}
