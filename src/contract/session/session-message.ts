// Messages as the agent API rework plan shapes them ("Message Types"): camelCase, what a model thinks and calls among the
// content of its answer, errors and aborts as messages of their own.

import { z } from "zod";

import { jsonObjectSchema, jsonSchema } from "../json.ts";
import { costSchema } from "../usage-schema.ts";

const count = z.number().int().nonnegative();

/** Tokens of one answer. */
export const sessionUsageSchema = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  totalTokens: count,
});

const textSchema = z.object({ type: z.literal("text"), text: z.string() });
const thinkingSchema = z.object({ type: z.literal("thinking"), thinking: z.string() });

/** `data` is base64. */
const imageSchema = z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() });

/** A file that is the thread's: its bytes are at `GET /api/threads/:id/files/*path`. */
const fileSchema = z.object({ type: z.literal("file"), path: z.string(), mimeType: z.string() });

/** What a model asks for. `arguments` is the text that the model wrote where it is no JSON object. */
export const sessionToolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.union([jsonObjectSchema, z.string()]),
  /** Set where something else than the tool's result is waited for: such a call is answered at `POST …/tool-results`. */
  kind: z.enum(["approval", "limit"]).exactOptional(),
});

/** A call among the content of an answer. */
const toolCallContentSchema = sessionToolCallSchema.omit({ kind: true }).extend({ type: z.literal("toolCall") });

const userMessageSchema = z.object({
  role: z.literal("user"),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textSchema, imageSchema, fileSchema]))]),
});

const assistantMessageSchema = z.object({
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [textSchema, thinkingSchema, toolCallContentSchema])),
  /** `length` also for an answer that was cut short: a partial one. */
  stopReason: z.enum(["stop", "length", "tool_calls"]),
  /** Name of the model's definition; null for calls that no model made. */
  model: z.string().nullable(),
  provider: z.string().nullable(),
  usage: sessionUsageSchema.nullable(),
  /** USD, null where a price is missing. */
  cost: costSchema,
});

const toolResultMessageSchema = z.object({
  role: z.literal("toolResult"),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.string(),
  /** For programs; no model is sent it. */
  details: jsonSchema.exactOptional(),
  isError: z.boolean(),
});

/** What went wrong, with what had been said by then. */
const errorMessageSchema = z.object({
  role: z.literal("error"),
  error: z.string(),
  partial: assistantMessageSchema.exactOptional(),
});

/** An answer that was cut by a stop. */
const abortedMessageSchema = z.object({ role: z.literal("aborted"), partial: assistantMessageSchema });

/** Any of them. */
export const sessionMessageSchema = z.discriminatedUnion("role", [
  userMessageSchema,
  assistantMessageSchema,
  toolResultMessageSchema,
  errorMessageSchema,
  abortedMessageSchema,
]);

/** A tool call of the assistant, with its parsed arguments. */
export type SessionToolCall = z.infer<typeof sessionToolCallSchema>;
/** A message of the user. */
export type UserMessage = z.infer<typeof userMessageSchema>;
/** An answer of the model, with its thinking, tool calls, tokens and cost. */
export type AssistantMessage = z.infer<typeof assistantMessageSchema>;
/** The result of one tool call. */
export type ToolResultMessage = z.infer<typeof toolResultMessageSchema>;
/** The end of an execution that failed. */
export type ErrorMessage = z.infer<typeof errorMessageSchema>;
/** An answer that a stop cut off, with the part that was received. */
export type AbortedMessage = z.infer<typeof abortedMessageSchema>;
/** A message of a session. */
export type SessionMessage = z.infer<typeof sessionMessageSchema>;
