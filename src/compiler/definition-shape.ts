// The fields of each kind of definition, checked at run time, because JavaScript files and casts escape the type checker. Each table
// lists exactly the fields of its type in the spec; TypeScript requires an entry for each field.

import { z } from "zod";

import { addClouds } from "#models/provider/clouds.ts";
import { ignoredField } from "#models/provider/ignored-field.ts";
import { refusedField } from "#models/provider/providers.ts";
import type { AgentDefinition, SideConfig } from "#spec/agent.ts";
import type { StrategyDefinition } from "#spec/define-strategy.ts";
import type { LimitAmounts, Limits } from "#spec/limits.ts";
import type { McpServerDefinition } from "#spec/mcp-server.ts";
import type { ModelGateway } from "#spec/model-gateway.ts";
import { modelPresets, type PresetName } from "#spec/model-preset.ts";
import type { AnyModelDefinition, AnyModelProvider, ModelDefinition } from "#spec/model.ts";
import type { OpenApiCredential, OpenApiDefinition } from "#spec/open-api.ts";
import type { PromptDefinition, SubpromptConfig } from "#spec/prompt.ts";
import type { RemoteToolOptions } from "#spec/tool-options.ts";

import type { NamedKind } from "./definition-kind.ts";
import { provider, providerFields, variableName } from "./provider-shape.ts";

addClouds();

type Fields<T> = Record<keyof T, z.ZodType>;

const name = z.string().min(1);
const count = z.number().int().positive();
const price = z.number().nonnegative();
const bound = count.nullable().optional();
const amounts = {
  steps: bound,
  turns: bound,
  tokens: bound,
  durationMs: bound,
  cost: z.number().positive().nullable().optional(),
} satisfies Fields<LimitAmounts>;
const callable = z.instanceof(Function);

/** Every provider that a model may name. */
export const providers = [
  "openai",
  "openrouter",
  "anthropic",
  "google",
  "test",
  "openai-responses",
  "openai-compatible",
  "azure",
  "vertex",
  "bedrock",
  "workers-ai",
] as const satisfies readonly AnyModelProvider[];

/** The entries of a gateway's log that a definition adds to those of the thread: AI Gateway stores five. */
const gatewayMetadata = z
  .record(name, z.union([z.string(), z.number(), z.boolean()]))
  .refine(
    (entries) => Object.keys(entries).length <= 2,
    "Invalid value: at most two entries; AI Gateway stores five, of which three are thread, run and user",
  );

const gatewayFields = {
  id: name,
  accountId: name.optional(),
  tokenVariable: variableName.optional(),
  requestTimeoutMs: count.optional(),
  metadata: z.union([gatewayMetadata, z.literal(false)]).optional(),
  cacheTtl: count.optional(),
  skipCache: z.boolean().optional(),
  cacheKey: z
    .string()
    .regex(/^[\x20-\x7e]+$/, "Invalid value: a key has printable ASCII characters")
    .optional(),
  collectLog: z.boolean().optional(),
} satisfies Fields<ModelGateway>;

const modelFields = {
  name,
  // The name may be that of a file in `agents/providers/`. The check of providers reports an unknown name.
  provider: name,
  model: name,
  includedProviders: z.array(name).optional(),
  fallbacks: z.array(name).optional(),
  inputPrice: price.optional(),
  outputPrice: price.optional(),
  cachedPrice: price.optional(),
  cacheWritePrice: price.optional(),
  longPrompt: z
    .strictObject({
      above: count,
      inputPrice: price.optional(),
      outputPrice: price.optional(),
      cachedPrice: price.optional(),
      cacheWritePrice: price.optional(),
    })
    .optional(),
  capabilities: z
    .strictObject({
      vision: z.boolean().optional(),
      functionCalling: z.boolean().optional(),
      structuredOutputs: z.boolean().optional(),
    })
    .optional(),
  api: z.enum(["responses", "chat"]).optional(),
  preset: z.enum(Object.keys(modelPresets) as [PresetName, ...PresetName[]]).optional(),
  baseUrl: z.url().optional(),
  keyVariable: variableName.nullable().optional(),
  gateway: z.strictObject(gatewayFields).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  temperature: z.number().optional(),
  maxTokens: count.optional(),
  contextWindow: count.optional(),
  inputLimit: count.optional(),
  outputLimit: count.optional(),
  thinkingLevel: z.enum(["off", "minimal", "low", "medium", "high"]).optional(),
  cache: z
    .union([
      z.enum(["auto", "disabled"]),
      z.strictObject({
        system: z.boolean().optional(),
        tools: z.boolean().optional(),
        messages: z.boolean().optional(),
      }),
    ])
    .optional(),
  retry: z
    .strictObject({
      maxRetries: z.number().int().nonnegative().optional(),
      initialDelayMs: z.number().nonnegative().optional(),
      multiplier: z.number().positive().optional(),
      maxDelayMs: z.number().nonnegative().optional(),
    })
    .optional(),
  timeouts: z.strictObject({ firstByteMs: count.optional(), silenceMs: count.optional() }).optional(),
  compat: z
    .strictObject({
      maxTokensField: z.enum(["max_tokens", "max_completion_tokens"]).optional(),
      supportsDeveloperRole: z.boolean().optional(),
      supportsReasoningEffort: z.boolean().optional(),
      supportsStreamUsage: z.boolean().optional(),
      supportsTemperature: z.boolean().optional(),
      supportsParallelToolCalls: z.boolean().optional(),
      shortCallIds: z.boolean().optional(),
      requiresThinking: z.enum(["all", "calls", "none"]).optional(),
      emptyThinking: z.string().optional(),
      thinkingOffField: z.enum(["reasoning_effort", "thinking", "enable_thinking"]).optional(),
      plainThinking: z.boolean().optional(),
      schemaRules: z.enum(["openai", "compatible", "anthropic", "google", "moonshot"]).optional(),
    })
    .optional(),
  providerTools: z.array(z.looseObject({ type: name })).optional(),
  script: z.union([z.array(z.object({})), callable]).optional(),
} satisfies Fields<ModelDefinition>;

const subpromptFields = {
  name,
  includeTextResponse: z.boolean().optional(),
  includeToolCalls: z.boolean().optional(),
  includeErrors: z.boolean().optional(),
  initUserMessageProperty: name.optional(),
  maxSteps: count.optional(),
} satisfies Fields<SubpromptConfig>;

const promptFields = {
  name,
  toolDescription: z.string(),
  prompt: z.union([
    z.string(),
    z.array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("text"), content: z.string() }),
        z.strictObject({ type: z.literal("include"), prompt: name }),
      ]),
    ),
  ]),
  model: name,
  includeChat: z.boolean().optional(),
  includePastTools: z.boolean().optional(),
  parallelToolCalls: z.boolean().optional(),
  toolChoice: z.enum(["auto", "none", "required"]).optional(),
  requiredSchema: z.unknown().optional(),
  structure: z.unknown().optional(),
  tools: z.array(z.union([name, z.strictObject(subpromptFields)])).optional(),
  skills: z.union([z.literal(true), z.array(name)]).optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(["low", "medium", "high"]).optional(),
      maxTokens: count.optional(),
      exclude: z.boolean().optional(),
      include: z.boolean().optional(),
    })
    .optional(),
  recentImageThreshold: z.number().int().nonnegative().optional(),
  toolMode: z.union([z.enum(["sequential", "parallel"]), z.strictObject({ batched: count })]).optional(),
  modelOrder: z.boolean().optional(),
  context: z
    .strictObject({
      maxTokens: count.optional(),
      keepFirst: z.number().int().nonnegative().optional(),
      keepRecent: z.number().int().nonnegative().optional(),
      toolOutputMaxLines: count.optional(),
      strategy: z.union([z.enum(["levels", "summarize", "off"]), callable]).optional(),
      model: name.optional(),
    })
    .optional(),
  temperature: z.number().optional(),
  maxTokens: count.optional(),
} satisfies Fields<PromptDefinition>;

const conduct = {
  strategy: z
    .union([
      // The name may be that of a file in `agents/strategies/`. The check of references reports an unknown name.
      name,
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("loop"), maxIterations: count.optional() }),
        z.strictObject({
          type: z.literal("react"),
          maxSteps: count.optional(),
          reasoningPrompt: z.string().optional(),
        }),
        z.strictObject({
          type: z.literal("plan"),
          maxPlanSteps: count.optional(),
          allowReplan: z.boolean().optional(),
        }),
      ]),
    ])
    .optional(),
  limits: z
    .strictObject({ ...amounts, onLimit: z.enum(["end", "rest"]).optional() } satisfies Fields<Limits>)
    .optional(),
  filters: z.array(callable).optional(),
};

const sideFields = {
  label: z.string().optional(),
  prompt: name,
  stopOnResponse: z.boolean().optional(),
  stopTool: name.optional(),
  stopToolResponseProperty: name.optional(),
  maxSteps: count.optional(),
  endSessionTool: name.optional(),
  ...conduct,
} satisfies Fields<SideConfig>;

const agentFields = {
  name,
  title: z.string().optional(),
  type: z.enum(["ai_human", "dual_ai"]).optional(),
  maxSessionTurns: count.optional(),
  threadLimits: z.strictObject(amounts).optional(),
  sideA: z.strictObject(sideFields),
  sideB: z.strictObject(sideFields).optional(),
  exposeAsTool: z.boolean().optional(),
  toolDescription: z.string().optional(),
  description: z.string().optional(),
  starters: z.array(name).optional(),
  icon: z.string().optional(),
  ...conduct,
} satisfies Fields<AgentDefinition>;

const strategyFields = {
  name,
  description: z.string().optional(),
  next: callable,
} satisfies Fields<StrategyDefinition>;

const mcpOAuth = z
  .strictObject({
    clientId: name.optional(),
    clientSecret: z.union([name, callable]).optional(),
    issuer: z.url({ protocol: /^https?$/ }).optional(),
    scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "a scope has no spaces")).optional(),
    clientName: name.optional(),
  })
  .refine(
    ({ clientSecret, clientId, issuer }) =>
      clientSecret === undefined || (clientId !== undefined && issuer !== undefined),
    {
      path: ["clientSecret"],
      error: "Invalid value: a secret requires clientId, and issuer, so that no other server receives the secret",
    },
  );

const mcpServerFields = {
  name,
  url: z.union([z.url({ protocol: /^https?$/ }), callable]),
  headers: z.union([z.record(z.string(), z.string()), callable]).optional(),
  oauth: z.union([z.boolean(), mcpOAuth]).optional(),
  prefix: name.optional(),
  tools: z.array(name).optional(),
  resources: z.boolean().optional(),
  prompts: z.boolean().optional(),
  sampling: z.strictObject({ model: name, maxTokens: count.optional(), maxRequests: count.optional() }).optional(),
  elicitation: z.boolean().optional(),
  elicitationTimeoutMs: count.max(3_600_000).optional(),
  timeoutMs: count.optional(),
  needsApproval: z.union([z.boolean(), z.array(name), callable]).optional(),
  allowedHosts: z.array(name).optional(),
  trustAnnotations: z.boolean().optional(),
} satisfies Fields<McpServerDefinition>;

const credential = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer"), token: z.string() }),
  z.strictObject({ type: z.literal("basic"), username: z.string(), password: z.string() }),
  z.strictObject({ type: z.literal("apiKey"), in: z.enum(["header", "query", "cookie"]), name, value: z.string() }),
]) satisfies z.ZodType<OpenApiCredential>;

const headers = z.union([z.record(z.string(), z.string()), callable]).optional();
const address = z.union([z.url({ protocol: /^https?$/ }), callable]);

const documentAddress = z.strictObject({ url: address, headers });

const openApiFields = {
  name,
  document: z.union([name, z.record(z.string(), z.unknown())]).superRefine((value, context) => {
    if (typeof value === "string" || ("openapi" in value && String(value["openapi"]).startsWith("3."))) return;
    const issues = documentAddress.safeParse(value).error?.issues ?? [];
    const wrong = "url" in value ? issues : [{ path: [], message: "Invalid value: the version has to be 3.0 or 3.1" }];
    for (const { path, message } of wrong) context.addIssue({ code: "custom", path: [...path], message });
  }),
  baseUrl: address.optional(),
  serverVariables: z.record(z.string(), z.string()).optional(),
  auth: z.union([credential, z.array(credential), callable]).optional(),
  credentialHosts: z.array(name).optional(),
  headers,
  prefix: name.optional(),
  operations: z.array(name).optional(),
  tags: z.array(name).optional(),
  methods: z.array(z.enum(["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"])).optional(),
  pathPrefix: z.string().optional(),
  unnamedOperations: z.boolean().optional(),
  cookies: z.boolean().optional(),
  timeoutMs: count.optional(),
  maxResponseBytes: count.optional(),
  shapeResponse: callable.optional(),
  needsApproval: z.union([z.boolean(), z.array(name), callable]).optional(),
  allowedHosts: z.array(name).optional(),
} satisfies Fields<OpenApiDefinition>;

const toolOptionFields = {
  idempotent: z.boolean().optional(),
  repeatable: z.boolean().optional(),
  reconcile: callable.optional(),
  needsApproval: z.union([z.boolean(), callable]).optional(),
  editableArguments: z.boolean().optional(),
  deadlineMs: z.number().positive().optional(),
  timeoutMs: z.number().positive().optional(),
  sequential: z.boolean().optional(),
  dependsOn: z.array(name).optional(),
  // Checked like the schema of arguments.
  resultSchema: z.unknown().optional(),
} satisfies Fields<RemoteToolOptions>;

const model = z.strictObject(modelFields).superRefine((definition, context) => {
  const refused = refusedField(definition as AnyModelDefinition) ?? ignoredField(definition as AnyModelDefinition);
  if (refused === undefined) return;
  context.addIssue({ code: "custom", path: [refused.field], message: `Invalid value: ${refused.reason}` });
});

/** The schema of each kind; for a tool that of its options. */
export const definitionShapes: Record<NamedKind, z.ZodType> = {
  model,
  provider,
  prompt: z.strictObject(promptFields),
  agent: z.strictObject(agentFields),
  tool: z.strictObject(toolOptionFields),
  strategy: z.strictObject(strategyFields),
  "MCP server": z.strictObject(mcpServerFields),
  "OpenAPI document": z.strictObject(openApiFields),
};

/** The valid names at a path in a definition, from which suggestions are made. */
export function knownNames(kind: NamedKind, path: readonly (string | number)[]): string[] {
  const here = path.at(-1);
  if (here === "sideA" || here === "sideB") return Object.keys(sideFields);
  if (path.includes("tools")) return Object.keys(subpromptFields);
  if (path.length > 0) return nestedKeys(definitionShapes[kind], path);
  const fields = { model: modelFields, provider: providerFields, prompt: promptFields, agent: agentFields };
  const sources = { "MCP server": mcpServerFields, "OpenAPI document": openApiFields };
  return Object.keys({ ...fields, ...sources, tool: toolOptionFields, strategy: strategyFields }[kind]);
}

function nestedKeys(shape: z.ZodType, path: readonly (string | number)[]): string[] {
  let node: unknown = shape;
  for (const key of path) {
    node = unwrap(node);
    node = node instanceof z.ZodObject ? node.shape[String(key)] : undefined;
  }
  const last = unwrap(node);
  return last instanceof z.ZodObject ? Object.keys(last.shape) : [];
}

function unwrap(node: unknown): unknown {
  return node instanceof z.ZodOptional ? node.unwrap() : node;
}
