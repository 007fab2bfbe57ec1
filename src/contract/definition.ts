// Definitions as the API shows them: without functions and without secrets. Fields of Standard Agents keep their spelling; other fields
// are in snake_case.

import { z } from "zod";

import { jsonObjectSchema, jsonSchema } from "./json.ts";

/** The definition's file, as a path from the project's root: `agents/tools/refund.ts`. Null if the build does not report it. */
const fileSchema = z.string().nullable();

/** A side of an agent. `strategy` is the name of its strategy: its own, its agent's, or `loop`. */
const sideViewSchema = z.object({
  label: z.string().nullable(),
  prompt: z.string(),
  strategy: z.string(),
  stopOnResponse: z.boolean(),
  stopTool: z.string().nullable(),
  stopToolResponseProperty: z.string().nullable(),
  maxSteps: z.number().int().nullable(),
  endSessionTool: z.string().nullable(),
});

/** An agent. `icon` is a full URL; `starters` are first messages that a UI offers. */
export const agentViewSchema = z.object({
  name: z.string(),
  file: fileSchema,
  title: z.string(),
  type: z.enum(["ai_human", "dual_ai"]),
  description: z.string().nullable(),
  starters: z.array(z.string()),
  icon: z.string().nullable(),
  exposeAsTool: z.boolean(),
  toolDescription: z.string().nullable(),
  maxSessionTurns: z.number().int().nullable(),
  sideA: sideViewSchema,
  sideB: sideViewSchema.nullable(),
});

/** A prompt. `requiredSchema` and `structure` are the JSON Schemas of its input and of its answer, null where it declares none. */
export const promptViewSchema = z.object({
  name: z.string(),
  file: fileSchema,
  toolDescription: z.string(),
  model: z.string(),
  prompt: jsonSchema,
  tools: z.array(jsonSchema),
  includeChat: z.boolean(),
  includePastTools: z.boolean(),
  parallelToolCalls: z.boolean(),
  skills: z.union([z.literal(true), z.array(z.string())]).nullable(),
  toolChoice: z.enum(["auto", "none", "required"]),
  reasoning: z
    .object({
      effort: z.enum(["low", "medium", "high"]).nullable(),
      maxTokens: z.number().nullable(),
      exclude: z.boolean(),
      include: z.boolean(),
    })
    .nullable(),
  recentImageThreshold: z.number().int(),
  requiredSchema: jsonObjectSchema.nullable(),
  structure: jsonObjectSchema.nullable(),
});

/**
 * A model. `context_window`, `input_limit` and `output_limit` are its token limits, null if unknown; `limits_source` is the source of those
 * that the definition does not state. `max_tokens` is what the definition asks for. `ready` is false, and `missing` names the variable, while
 * its key is not set.
 */
export const modelViewSchema = z.object({
  name: z.string(),
  file: fileSchema,
  provider: z.string(),
  model: z.string(),
  includedProviders: z.array(z.string()),
  fallbacks: z.array(z.string()),
  inputPrice: z.number().nullable(),
  outputPrice: z.number().nullable(),
  cachedPrice: z.number().nullable(),
  capabilities: jsonObjectSchema,
  context_window: z.number().int().nullable(),
  input_limit: z.number().int().nullable(),
  output_limit: z.number().int().nullable(),
  limits_source: z.object({ url: z.string(), date: z.string() }).nullable(),
  max_tokens: z.number().int().nullable(),
  ready: z.boolean(),
  missing: z.string().nullable(),
});

/** Anything that a model can call: a tool, a prompt that another one offers, an exposed agent; with the JSON Schema that models receive. */
export const toolViewSchema = z.object({
  name: z.string(),
  file: fileSchema,
  kind: z.enum(["tool", "prompt", "agent"]),
  description: z.string(),
  parameters: jsonObjectSchema,
  remote: z.boolean(),
  /** Whether a person has to approve a call before its function runs. `conditional`: a function of the definition decides. */
  approval: z.enum(["never", "conditional", "always"]),
  /** JSON Schema of a client's result; null if any text or JSON is valid. */
  result_schema: jsonObjectSchema.nullable(),
});

/** A strategy of the project, which agents and sides refer to by its name. */
export const strategyViewSchema = z.object({ name: z.string(), file: fileSchema, description: z.string().nullable() });

/** A hook file. Hooks of one name run in the order of the list. */
export const hookViewSchema = z.object({ hook: z.string(), file: z.string() });

/** A file of `agents/filters/`. */
export const filterViewSchema = z.object({ file: z.string() });

/** A route of `agents/api/`. In `path` a dynamic segment is `:name` and a catch-all at the end is `*name`. */
export const routeViewSchema = z.object({
  method: z.string(),
  path: z.string(),
  kind: z.enum(["controller", "thread"]),
  access: z.enum(["public", "user", "admin"]),
  file: z.string(),
});

export type AgentView = z.infer<typeof agentViewSchema>;
export type PromptView = z.infer<typeof promptViewSchema>;
export type ModelView = z.infer<typeof modelViewSchema>;
export type ToolView = z.infer<typeof toolViewSchema>;
export type StrategyView = z.infer<typeof strategyViewSchema>;
export type HookView = z.infer<typeof hookViewSchema>;
export type RouteView = z.infer<typeof routeViewSchema>;
