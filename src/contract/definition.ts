// Definitions as the API shows them: without functions and without secrets.

import { z } from "zod";

import { jsonObjectSchema, jsonSchema } from "./json.ts";

/** An agent. `icon` is a full URL. */
export const agentViewSchema = z.object({
  name: z.string(),
  title: z.string(),
  type: z.enum(["ai_human", "dual_ai"]),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  expose_as_tool: z.boolean(),
  tool_description: z.string().nullable(),
  max_session_turns: z.number().int().nullable(),
  side_a: jsonObjectSchema,
  side_b: jsonObjectSchema.nullable(),
});

/** A prompt, with the JSON Schema of its input when it can be called as a tool. */
export const promptViewSchema = z.object({
  name: z.string(),
  tool_description: z.string(),
  model: z.string(),
  prompt: jsonSchema,
  tools: z.array(jsonSchema),
  include_chat: z.boolean(),
  include_past_tools: z.boolean(),
  parallel_tool_calls: z.boolean(),
  tool_choice: z.enum(["auto", "none", "required"]),
  reasoning: jsonObjectSchema.nullable(),
  input_schema: jsonObjectSchema.nullable(),
});

/** A model. `ready` is false, and `missing` names the variable, while its key is not set. */
export const modelViewSchema = z.object({
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  fallbacks: z.array(z.string()),
  input_price: z.number().nullable(),
  output_price: z.number().nullable(),
  cached_price: z.number().nullable(),
  context_window: z.number().int().nullable(),
  max_tokens: z.number().int().nullable(),
  capabilities: jsonObjectSchema,
  ready: z.boolean(),
  missing: z.string().nullable(),
});

/** A tool with the JSON Schema that a model sees. */
export const toolViewSchema = z.object({
  name: z.string(),
  description: z.string(),
  parameters: jsonObjectSchema,
  remote: z.boolean(),
});

export type AgentView = z.infer<typeof agentViewSchema>;
export type PromptView = z.infer<typeof promptViewSchema>;
export type ModelView = z.infer<typeof modelViewSchema>;
export type ToolView = z.infer<typeof toolViewSchema>;
