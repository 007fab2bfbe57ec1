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

/** A prompt. `requiredSchema` and `structure` are the JSON Schemas of its input and of its answer, null if it declares none. */
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

const factSourceSchema = z.object({ url: z.string(), date: z.string() }).nullable();

/** Limits, prices and capabilities of a model. */
const modelFactFields = {
  inputPrice: z.number().nullable(),
  outputPrice: z.number().nullable(),
  cachedPrice: z.number().nullable(),
  cacheWritePrice: z.number().nullable(),
  longPrompt: z
    .object({
      above: z.number().int(),
      inputPrice: z.number().nullable(),
      outputPrice: z.number().nullable(),
      cachedPrice: z.number().nullable(),
      cacheWritePrice: z.number().nullable(),
    })
    .nullable(),
  prices_source: factSourceSchema,
  capabilities: jsonObjectSchema,
  capabilities_source: factSourceSchema,
  context_window: z.number().int().nullable(),
  input_limit: z.number().int().nullable(),
  output_limit: z.number().int().nullable(),
  limits_source: factSourceSchema,
};

/**
 * A model. Prices are USD per million tokens, null if unknown; `longPrompt` has those of requests whose prompt has more tokens than `above`.
 * `context_window`, `input_limit` and `output_limit` are its token limits, null if unknown. `prices_source`, `limits_source` and
 * `capabilities_source` are the sources of those that the definition does not state. `max_tokens` is the definition's own limit of an answer. `ready` is false while its key
 * or another setting is missing: `missing_names` has the names of all missing variables, or of the missing binding, and `missing` the first.
 */
export const modelViewSchema = z.object({
  name: z.string(),
  file: fileSchema,
  provider: z.string(),
  model: z.string(),
  includedProviders: z.array(z.string()),
  fallbacks: z.array(z.string()),
  ...modelFactFields,
  max_tokens: z.number().int().nullable(),
  ready: z.boolean(),
  missing: z.string().nullable(),
  missing_names: z.array(z.string()),
});

/**
 * A model of the catalogue, with its facts as in the view of a model. `file` and `definition` are the file that defines it in a project: its path and
 * its text. The prices of a model of OpenRouter are for comparison, because OpenRouter reports the cost of each answer.
 */
export const catalogueModelSchema = z.object({
  provider: z.string(),
  preset: z.string().nullable(),
  model: z.string(),
  ...modelFactFields,
  file: z.string(),
  definition: z.string(),
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
  /** JSON Schema of a client's result; null if any text or JSON is valid, and for a tool that the server runs. */
  result_schema: jsonObjectSchema.nullable(),
});

const sourceFields = {
  name: z.string(),
  file: fileSchema,
  kind: z.enum(["mcp", "openapi"]),
  /** The names of its tools begin with the prefix and `__`. */
  prefix: z.string(),
};

/** A definition that has many tools: an MCP server, or an API with an OpenAPI document. */
export const sourceViewSchema = z.object(sourceFields);

/**
 * A source with its state and its tools, which were requested for this response. `error` is the reason why the tools could not be listed.
 * `unset_variables` are variables that the definition reads and that are not set. The texts come from the source, and their sizes are bounded.
 */
export const sourceStateSchema = z.object({
  ...sourceFields,
  /** The host to which requests are sent, and its port. Null if it is unknown. */
  host: z.string().nullable(),
  /** The version that the server or the document states. Null if it is unknown. */
  version: z.string().nullable(),
  /**
   * Whether the caller has connected to the server. Null if the definition does not use OAuth, if the deployment lacks the key for tokens,
   * or if the caller has no user id.
   */
  authorization: z.enum(["authorized", "required"]).nullable(),
  unset_variables: z.array(z.string()),
  error: z.string().nullable(),
  tools: z.array(toolViewSchema),
  /** Tools that no prompt can use, because their schemas cannot be used. */
  omitted_tools: z.array(z.object({ name: z.string(), problem: z.string() })),
});

/** A skill of `agents/skills/`. */
export const skillViewSchema = z.object({ name: z.string(), file: fileSchema, description: z.string() });

/** A skill with its text, and the texts of its further files. */
export const skillTextSchema = skillViewSchema.extend({
  text: z.string(),
  files: z.array(z.object({ path: z.string(), text: z.string() })),
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
export type CatalogueModelView = z.infer<typeof catalogueModelSchema>;
export type ToolView = z.infer<typeof toolViewSchema>;
export type SourceView = z.infer<typeof sourceViewSchema>;
export type SourceState = z.infer<typeof sourceStateSchema>;
export type StrategyView = z.infer<typeof strategyViewSchema>;
export type RouteView = z.infer<typeof routeViewSchema>;
