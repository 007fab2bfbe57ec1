// The messages of a session as the agent API rework plan defines them ("Message Types"): names are camelCase; thinking
// and tool calls are parts of an answer's content; errors and aborted answers are messages of their own.

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

/** A file of the thread. Its bytes are at `GET /api/threads/:id/files/*path`. */
const fileSchema = z.object({ type: z.literal("file"), path: z.string(), mimeType: z.string() });

/** A tool call of a model. `arguments` is a string if the model's text is no JSON object. */
export const sessionToolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.union([jsonObjectSchema, z.string()]),
  /**
   * Set if the call waits for something other than the tool's result: a person's approval, a person's answer to a question, or a higher
   * limit. Such a call is answered at `POST …/tool-results`.
   */
  kind: z.enum(["approval", "limit", "question"]).exactOptional(),
});

/** A call within an answer's content. */
const toolCallContentSchema = sessionToolCallSchema.omit({ kind: true }).extend({ type: z.literal("toolCall") });

const userMessageSchema = z.object({
  role: z.literal("user"),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textSchema, imageSchema, fileSchema]))]),
});

const assistantMessageSchema = z.object({
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [textSchema, thinkingSchema, toolCallContentSchema])),
  /** `length` is also the reason of a partial answer that was interrupted. */
  stopReason: z.enum(["stop", "length", "tool_calls"]),
  /** Name of the model's definition; null if no model made the calls. */
  model: z.string().nullable(),
  provider: z.string().nullable(),
  usage: sessionUsageSchema.nullable(),
  /** USD; null if a price is unknown. */
  cost: costSchema,
});

const toolResultMessageSchema = z.object({
  role: z.literal("toolResult"),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.string(),
  /** Data for the application; no model receives it. */
  details: jsonSchema.exactOptional(),
  isError: z.boolean(),
});

/** An error, with the part of the answer that was received before it. */
const errorMessageSchema = z.object({
  role: z.literal("error"),
  error: z.string(),
  partial: assistantMessageSchema.exactOptional(),
});

/** An answer that a stop interrupted. */
const abortedMessageSchema = z.object({ role: z.literal("aborted"), partial: assistantMessageSchema });

/** The schema of all messages of a session. */
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
/** An error that ended an execution, with the partial answer if there is one. */
export type ErrorMessage = z.infer<typeof errorMessageSchema>;
/** An answer that a stop cut off, with the part that was received. */
export type AbortedMessage = z.infer<typeof abortedMessageSchema>;
/** A message of a session. */
export type SessionMessage = z.infer<typeof sessionMessageSchema>;
