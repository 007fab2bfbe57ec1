// Extracts what is new from the messages that a chat posts. The client sends its whole copy of the conversation, and
// the thread's stored messages are the authority, so only one message is read: the last one, if it is a new message of
// the user, or the assistant's message whose calls are answered. Of an assistant's message, only outputs and approvals
// of calls that the thread waits for are used. An output that a thread cannot store becomes an error result of its call: the page shows the
// output as sent, so nothing on the page would answer the call again.

import { z } from "zod";

import type { InputContent } from "#contract/content.ts";
import { refuse, ThreadholdError } from "#contract/error.ts";
import { jsonObjectSchema, jsonSchema } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import { invalidField } from "#http/input/field-error.ts";
import { parseWithin } from "#http/input/parse-input.ts";
import { checkValue } from "#http/input/parse-json.ts";

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

/** The tool part that answers an approval. */
const approvalSchema = z.looseObject({
  approval: z.looseObject({ approved: z.boolean(), reason: z.string().nullish() }),
});

/** The maximum length of the reason of a declined call. A longer reason is shortened. A character has at most 6 bytes of JSON. */
const longestReason = 10_000;

/** The maximum length of the text about a refused output. */
const longestProblem = 2000;

/** What a request adds to the conversation. */
export type PostedInput =
  | { kind: "message"; id: string; content: InputContent; metadata: JsonObject }
  | { kind: "answers"; message: PostedMessage; path: string };

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
      checkValue(message, path);
      return {
        kind: "message",
        id: message.id,
        content: contentOf(message, path),
        metadata: metadataOf(message, path),
      };
    case "assistant":
      return { kind: "answers", message, path };
    case "system":
      throw invalidField(`${path}.role`, "Has to be user or assistant: instructions are the agent's");
  }
}

/** The outputs and approvals in a message for the calls that the thread waits for. `path`: the message's path in the request. */
export function readAnswers({ parts }: PostedMessage, path: string, pending: readonly PendingCall[]): PostedResult[] {
  return pending.flatMap(({ id, name, kind }): PostedResult[] => {
    const index = parts.findLastIndex(({ toolCallId }) => toolCallId === id);
    const part = parts[index];
    const at = `${path}.parts.${String(index)}`;
    switch (part?.["state"]) {
      case "approval-responded": {
        if (kind !== "approval") return [];
        const { approved, reason } = readAt(approvalSchema, part, at).approval;
        const error =
          approved || reason === "" || reason == null ? {} : { error: reason.slice(0, longestReason).toWellFormed() };
        return [{ tool_call_id: id, approved, ...error }];
      }
      case "output-error":
        checkTakesOutput(id, name, kind);
        return [failure(id, typeof part["errorText"] === "string" ? part["errorText"] : "")];
      case "output-available":
        checkTakesOutput(id, name, kind);
        return [outputOf(id, part["output"])];
      default:
        return [];
    }
  });
}

/** Refuses an output for a call that waits for something else. The page would show the call as answered. */
function checkTakesOutput(id: string, name: string, kind: PendingCall["kind"]): void {
  if (kind === "remote") return;
  const waits = kind === "approval" ? "an approval" : `an answer of the kind "${kind}"`;
  throw refuse("conflict", `The call "${id}" of "${name}" waits for ${waits}, not for an output.`);
}

/**
 * The output of a call. An output that is not JSON of a request becomes an error result. A tool that returns nothing has no output in the JSON of
 * the request.
 */
function outputOf(id: string, output: unknown): PostedResult {
  if (output === undefined) return { tool_call_id: id, content: "" };
  try {
    checkValue(output, "output");
  } catch (thrown) {
    if (thrown instanceof ThreadholdError) return refusedOutput(id, thrown);
    throw thrown;
  }
  // The body is parsed JSON, and its numbers and keys are checked.
  return { tool_call_id: id, result: output as Json };
}

/** The error result of a call whose output was refused. The model reads the reason. */
export function refusedOutput(id: string, { message }: ThreadholdError): PostedResult {
  return failure(id, `The tool's output was refused: ${message}`.slice(0, longestProblem));
}

function failure(id: string, text: string): PostedResult {
  return { tool_call_id: id, error: text === "" ? "The tool failed." : text.toWellFormed() };
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

export function idOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
}

export function roleOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "role" in message ? message.role : undefined;
}

/** Parses a value with a schema. A refusal names the field's path within the request. */
function readAt<S extends z.ZodType>(schema: S, value: unknown, path: string): z.output<S> {
  const read = parseWithin(schema, value);
  if (read.success) return read.data as z.output<S>;
  const [issue] = read.error.issues;
  throw invalidField([path, ...(issue?.path ?? [])].map(String).join("."), issue?.message ?? "Invalid input");
}
