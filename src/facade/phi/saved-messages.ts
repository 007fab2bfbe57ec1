// Reads messages from JSON. Fields that are not known are kept; a message or a block of another form is refused with its path.

import { z } from "zod";

import { jsonSchema } from "#contract/json.ts";
import { isObject } from "#lib/json-value.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { LoopError } from "./loop-error.ts";
import type { AgentMessage } from "./loop-messages.ts";

const contentSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image"), data: z.string(), mime_type: z.string() }),
  z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string().nullish() }),
  z.looseObject({ type: z.literal("toolCall"), id: z.string(), name: z.string(), arguments: jsonSchema }),
]);

const count = z.number().nonnegative();
const base = { content: z.array(contentSchema), timestamp: count };

/** A message. Fields that are not known are kept. */
export const messageSchema = z.discriminatedUnion("role", [
  z.looseObject({ ...base, role: z.literal("user") }),
  z.looseObject({
    ...base,
    role: z.literal("assistant"),
    stop_reason: z.enum(["stop", "length", "toolUse", "error", "aborted"]),
    model: z.string(),
    provider: z.string(),
    usage: z.looseObject({
      input: count,
      output: count,
      cache_read: count,
      cache_write: count,
      total_tokens: count,
    }),
    error_message: z.string().nullish(),
  }),
  z.looseObject({
    ...base,
    role: z.literal("toolResult"),
    tool_call_id: z.string(),
    tool_name: z.string(),
    is_error: z.boolean(),
  }),
  z.looseObject({ role: z.literal("extension"), kind: z.string(), data: jsonSchema }),
]);

/** The JSON text of messages (REQ-063). */
export function messagesToJson(messages: readonly AgentMessage[]): string {
  return JSON.stringify(messages);
}

/** Reads the JSON text of messages (REQ-064). Throws a LoopError that names the first wrong value. */
export function messagesFromJson(text: string): AgentMessage[] {
  let json: unknown;
  try {
    json = parseOwnJson(text);
  } catch {
    json = undefined;
  }
  if (!Array.isArray(json))
    throw new LoopError("The messages have to be the JSON text of a list, as saveMessages() makes it.");
  return readMessages(json);
}

/** Checks a list of messages. Throws a LoopError that names the first wrong value. */
export function readMessages(values: readonly unknown[]): AgentMessage[] {
  if (!Array.isArray(values)) throw new LoopError("A prompt has to be a list of messages.");
  return values.map((value, at) => {
    const read = parsed(value, at);
    if (read.success && isObject(value)) return value as unknown as AgentMessage;
    const [issue] = read.error?.issues ?? [];
    const path = ["messages", at, ...(issue?.path ?? [])].map(String).join(".");
    throw new LoopError(`A message cannot be read. ${path}: ${issue?.message ?? "it has to be an object"}.`);
  });
}

function parsed(value: unknown, at: number): ReturnType<typeof messageSchema.safeParse> {
  try {
    return messageSchema.safeParse(value);
  } catch {
    // The schema visits a value by recursion.
    throw new LoopError(`A message cannot be read. messages.${at}: it is nested too deeply.`);
  }
}
