// The content of a message: an ordered list of parts. The list is authoritative; `content` and `tool_calls` of a message on the wire
// are derived from it.

import { z } from "zod";

import { jsonObjectSchema, jsonSchema } from "./json.ts";

/** Text of a message. */
export const textPartSchema = z.object({ type: z.literal("text"), text: z.string() });

/** Thinking of a model. `redacted` marks thinking whose text the provider does not reveal. */
export const thinkingPartSchema = z.object({
  type: z.literal("thinking"),
  thinking: z.string(),
  redacted: z.boolean().optional(),
});

/** A tool call of a model. If the arguments are not a JSON object, `arguments` is the text and `invalid` is set. */
export const toolCallPartSchema = z.object({
  type: z.literal("tool_call"),
  id: z.string(),
  name: z.string(),
  arguments: z.union([jsonObjectSchema, z.string()]),
  invalid: z.literal(true).optional(),
});

/**
 * A tool that the provider of the model executed itself, such as a web search: the call, and its result. No hook, approval or limit of calls
 * applies to it.
 */
export const providerToolPartSchema = z.object({
  type: z.literal("provider_tool"),
  id: z.string(),
  name: z.string(),
  input: jsonSchema,
  /** The result. Absent until it has arrived, and if the answer ended before. A long result is the beginning of its JSON, as text. */
  output: jsonSchema.optional(),
  is_error: z.literal(true).optional(),
});

const sourceFields = {
  name: z.string().optional(),
  /** Base64 bytes. */
  data: z.base64().optional(),
  /** Path of a file of the thread. */
  path: z.string().optional(),
  url: z.url().optional(),
};

const inputImageSchema = z.object({
  type: z.literal("image"),
  mime_type: z.string().regex(/^image\/[\w.+-]+$/),
  ...sourceFields,
});

const inputFileSchema = z.object({ type: z.literal("file"), mime_type: z.string().min(1), ...sourceFields });

/** Metadata of a part that is stored as a file of the thread. */
const storedFields = {
  id: z.string().optional(),
  /** Bytes. */
  size: z.number().int().nonnegative().optional(),
  /** Pixels, for images. */
  width: z.number().int().positive().optional(),
  /** Pixels, for images. */
  height: z.number().int().positive().optional(),
};

/** An image: sent with exactly one of `data`, `path`, `url`; stored with `path`. */
const imagePartSchema = inputImageSchema.extend(storedFields);

/** A file: sent with exactly one of `data`, `path`, `url`; stored with `path`. */
const filePartSchema = inputFileSchema.extend(storedFields);

/** Any part of a stored message. */
export const partSchema = z.discriminatedUnion("type", [
  textPartSchema,
  thinkingPartSchema,
  toolCallPartSchema,
  providerToolPartSchema,
  imagePartSchema,
  filePartSchema,
]);

/** The parts that a caller may send. */
const inputPartSchema = z.discriminatedUnion("type", [
  textPartSchema.strict(),
  inputImageSchema.strict(),
  inputFileSchema.strict(),
]);

/** Message content as a caller sends it: a string, or parts. */
export const inputContentSchema = z.union([z.string(), z.array(inputPartSchema).min(1).max(100)], {
  error: "must be a string, or a list of parts: text, image, file",
});

export type ToolCallPart = z.infer<typeof toolCallPartSchema>;
export type ProviderToolPart = z.infer<typeof providerToolPartSchema>;
export type ImagePart = z.infer<typeof imagePartSchema>;
export type FilePart = z.infer<typeof filePartSchema>;
export type Part = z.infer<typeof partSchema>;
export type InputContent = z.infer<typeof inputContentSchema>;

/** A tool call as events and logs contain it. */
export const toolCallSchema = toolCallPartSchema.omit({ type: true });
export type ToolCall = z.infer<typeof toolCallSchema>;
