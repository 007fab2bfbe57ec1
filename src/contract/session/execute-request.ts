// The body of `POST /api/agent/execute`: the rework plan's ExecuteRequest, with field names in camelCase or snake_case.
// The schema has both spellings, so that the OpenAPI document shows them; `executeInput` converts a request to one
// spelling.

import { z } from "zod";

import { jsonObjectSchema, jsonSchema } from "../json.ts";
import { threadNameSchema } from "../named-thread-id.ts";
import { limitsSchema } from "../run.ts";
import { toolNamePattern } from "../setup.ts";

/** The largest number of tools that a client may define in a request. */
const mostTools = 100;

/** The largest number of initial messages of a session, and of tool results in a request. */
const mostMessages = 1000;
const mostResults = 100;

const name = z.string().min(1).max(200);
const callId = z.string().min(1).max(200);

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string() });
const image = z.strictObject({
  type: z.literal("image"),
  data: z.base64(),
  mimeType: z.string().regex(/^image\/[\w.+-]+$/, "has to be the media type of an image"),
});
const file = z.strictObject({
  type: z.literal("file"),
  path: z.string().min(1).max(1024),
  mimeType: z.string().min(1),
});
const toolCall = z.strictObject({
  type: z.literal("toolCall"),
  id: callId,
  name,
  arguments: z.union([jsonObjectSchema, z.string()]),
});

/** A message of the user, as text or as parts. */
export const userInputSchema = z.strictObject({
  role: z.literal("user"),
  content: z.union(
    [
      z.string(),
      z
        .array(z.discriminatedUnion("type", [text, image, file]))
        .min(1)
        .max(100),
    ],
    {
      error: "must be a string, or a list of parts: text, image, file",
    },
  ),
});

const assistantInput = z.strictObject({
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [text, thinking, toolCall])).max(200),
  stopReason: z.enum(["stop", "length", "tool_calls"]).optional(),
  model: z.string().nullable().optional(),
  provider: z.string().nullable().optional(),
  usage: jsonSchema.optional(),
  cost: jsonSchema.optional(),
});

const resultText = z.union([z.string(), z.array(text).min(1).max(100)], {
  error: "must be a string, or a list of text parts",
});

/** The result of a tool call that the session waits for. */
export const toolResultInputSchema = z
  .strictObject({
    role: z.literal("toolResult"),
    toolCallId: callId,
    toolName: name.optional(),
    content: resultText.optional(),
    /** Another name of `content`. */
    output: resultText.optional(),
    details: jsonSchema.optional(),
    isError: z.boolean().optional(),
  })
  .refine(({ content, output }) => (content === undefined) !== (output === undefined), {
    error: "give one of `content` and `output`",
    path: ["content"],
  });

const errorInput = z.strictObject({ role: z.literal("error"), error: z.string(), partial: assistantInput.optional() });
const abortedInput = z.strictObject({ role: z.literal("aborted"), partial: assistantInput });

/** An initial message of a session. */
export const contextMessageSchema = z.discriminatedUnion("role", [
  userInputSchema,
  assistantInput,
  toolResultInputSchema,
  errorInput,
  abortedInput,
]);

const toolInput = z.strictObject({
  name: z.string().regex(toolNamePattern, "has to be a letter and up to 63 of A-Z a-z 0-9 _ -"),
  /** The name that people see. */
  label: z.string().max(200).optional(),
  /** The description that the model reads; without it, the label or the name. */
  description: z.string().max(4096).optional(),
  /** JSON Schema of an object; without it the tool takes no arguments. */
  parameters: jsonObjectSchema.optional(),
  /** Milliseconds before a call without a result fails. */
  deadlineMs: z
    .number()
    .int()
    .positive()
    .max(365 * 24 * 60 * 60 * 1000)
    .optional(),
  deadline_ms: z
    .number()
    .int()
    .positive()
    .max(365 * 24 * 60 * 60 * 1000)
    .optional(),
});

const systemPrompt = z.string().max(65_536);

const contextInput = z.strictObject({
  agent: name.optional(),
  systemPrompt: systemPrompt.optional(),
  system_prompt: systemPrompt.optional(),
  messages: z.array(contextMessageSchema).max(mostMessages).optional(),
  tools: z.array(toolInput).max(mostTools).optional(),
});

const effort = z.enum(["low", "medium", "high"]);
const maxTokens = z.number().int().positive();

const optionsInput = z.strictObject({
  /** Name of a defined model. */
  model: name.optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: maxTokens.optional(),
  max_tokens: maxTokens.optional(),
  /** How much the model reasons: a level, or a budget in tokens. */
  reasoning: z
    .union([
      effort,
      z.strictObject({
        effort: effort.optional(),
        maxTokens: maxTokens.optional(),
        max_tokens: maxTokens.optional(),
        exclude: z.boolean().optional(),
        include: z.boolean().optional(),
      }),
    ])
    .optional(),
  /** Limits of the run that the message starts. */
  limits: limitsSchema.optional(),
});

/** The body of the request. */
export const executeRequestSchema = z
  .strictObject({
    session_id: threadNameSchema.optional(),
    sessionId: threadNameSchema.optional(),
    input: z.union([userInputSchema, z.array(toolResultInputSchema).min(1).max(mostResults)], {
      error: "must be a user message, or a list of tool results",
    }),
    context: contextInput.optional(),
    options: optionsInput.optional(),
  })
  .superRefine((body, refinement) => {
    for (const [path, one, other] of bothSpelled(body)) {
      if (one !== undefined && other !== undefined) {
        refinement.addIssue({ code: "custom", path, message: "is given twice, in both spellings" });
      }
    }
  });

type Body = z.infer<typeof executeRequestSchema>;

function bothSpelled({
  session_id,
  sessionId,
  context,
  options,
}: Omit<Body, "input">): [PropertyKey[], unknown, unknown][] {
  const reasoning = typeof options?.reasoning === "object" ? options.reasoning : undefined;
  return [
    [["sessionId"], session_id, sessionId],
    [["context", "systemPrompt"], context?.system_prompt, context?.systemPrompt],
    [["options", "maxTokens"], options?.max_tokens, options?.maxTokens],
    [["options", "reasoning", "maxTokens"], reasoning?.max_tokens, reasoning?.maxTokens],
    ...(context?.tools ?? []).map((tool, index): [PropertyKey[], unknown, unknown] => [
      ["context", "tools", index, "deadlineMs"],
      tool.deadline_ms,
      tool.deadlineMs,
    ]),
  ];
}

export type ExecuteRequest = Body;
/** A message of the user, as text or as parts. */
export type UserInput = z.infer<typeof userInputSchema>;
/** The result of a tool call that the client ran. */
export type ToolResultInput = z.infer<typeof toolResultInputSchema>;
/** An initial message of a new session. */
export type ContextMessage = z.infer<typeof contextMessageSchema>;
