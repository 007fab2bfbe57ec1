// Restores messages and lists of messages from JSON. An error names the path of the first invalid value.

import { z } from "zod";

import { assistantContentSchema, objectSchema, userContentSchema } from "./block-json.ts";
import { refusal } from "./upp-error.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "./upp-message.ts";
import type { AnyMessage, MessageMetadata } from "./upp-message.ts";

/** Reads the time of a message. */
export const timeSchema = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const metadataSchema = objectSchema.refine(
  (value): value is MessageMetadata => Object.values(value).every((data) => typeof data === "object" && data !== null),
  "Has to have an object for each provider",
);

const base = { id: z.string().min(1), metadata: metadataSchema.exactOptional(), timestamp: timeSchema };

const toolCallSchema = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  arguments: objectSchema,
  after: z.array(z.string()).exactOptional(),
});

const toolResultSchema = z
  .object({
    toolCallId: z.string(),
    // JSON omits the result of a tool that returned undefined.
    result: z.unknown().optional(),
    isError: z.boolean().exactOptional(),
  })
  .transform(({ toolCallId, result, ...others }) => ({ toolCallId, result, ...others }));

/** Reads the JSON of a message. */
export const messageSchema = z
  .discriminatedUnion("type", [
    z.object({ ...base, type: z.literal("user"), content: z.array(userContentSchema) }),
    z.object({
      ...base,
      type: z.literal("assistant"),
      content: z.array(assistantContentSchema),
      toolCalls: z.array(toolCallSchema).exactOptional(),
    }),
    z.object({ ...base, type: z.literal("tool_result"), results: z.array(toolResultSchema) }),
  ])
  .transform((json): AnyMessage => {
    switch (json.type) {
      case "user":
        return new UserMessage(json.content, json);
      case "assistant":
        return new AssistantMessage(json.content, json.toolCalls, json);
      case "tool_result":
        return new ToolResultMessage(json.results, json);
    }
  });

/** Restores a message from its JSON. Throws INVALID_REQUEST for any other value. */
export function messageFromJSON(json: unknown): AnyMessage {
  return readJSON(messageSchema, json, "message");
}

/** Validates a value against a schema. The error names the path of the first invalid part, such as `thread.messages.3.timestamp`. */
export function readJSON<T>(schema: z.ZodType<T>, json: unknown, name: string): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = [name, ...(issue?.path ?? [])].map(String).join(".");
  throw refusal(`The JSON of the ${name} cannot be read. ${path}: ${issue?.message ?? "invalid"}.`);
}
