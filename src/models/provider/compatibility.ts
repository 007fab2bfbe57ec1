// The differences between servers of OpenAI's protocols, as data. The `compat` of a model is filled from the defaults of Chat Completions, then
// from the model's id, then from the server: its preset, else its host. Each overrides the one before, and the definition overrides all. A
// model's id counts because gateways serve the models of others under their own hosts; a server counts more because it decides which fields
// it accepts.

import { modelPresets, type AnyModelDefinition, type ModelCompatibility, type ServerPreset } from "#spec/index.ts";

/**
 * The fields that are known for every model. An absent role or effort is decided by the model's id, and absent rules for schemas by the
 * protocol.
 */
type Known = Omit<ModelCompatibility, "supportsDeveloperRole" | "supportsReasoningEffort" | "schemaRules">;

/** A model's complete `compat`. */
export interface Compatibility extends Required<Known>, Pick<ModelCompatibility, "schemaRules"> {
  /** The server accepts a JSON Schema as the form of an answer. A definition's `capabilities.structuredOutputs` takes precedence. */
  jsonSchema: boolean;
}

const defaults: Compatibility = {
  maxTokensField: "max_tokens",
  supportsStreamUsage: true,
  supportsTemperature: true,
  supportsParallelToolCalls: true,
  shortCallIds: false,
  requiresThinking: "none",
  emptyThinking: "",
  thinkingOffField: "reasoning_effort",
  plainThinking: false,
  jsonSchema: true,
};

type Entry = readonly [RegExp, Partial<Compatibility>];

/** By the model's id in lower case, at any host. All entries that match count. */
const byModel: readonly Entry[] = [
  // OpenAI's reasoning models refuse `max_tokens` and any temperature.
  [
    /^(openai\/)?(o\d|gpt-([5-9]|\d\d)(?!-chat))/,
    { maxTokensField: "max_completion_tokens", supportsTemperature: false },
  ],
  // OpenAI's first reasoning models, o1 to o4-mini, refuse the field for parallel tool calls, whatever its value.
  [/^(openai\/)?o\d/, { supportsParallelToolCalls: false }],
  // If thinking is on, DeepSeek refuses earlier assistant messages without the field, and accepts an empty text in it (decision record 20:
  // OpenAI's two protocols). Its models before V3.2 do not need the field, and R1 is refused with it ("Please remove the reasoning_content
  // from your message", https://github.com/Simpleyyt/ai-manus/issues/22). Models of others that were trained on its answers (distilled)
  // know no such field.
  [
    /(?:^|[/.:_-])deepseek(?!.*(?:distill|coder|prover|ocr|[-_/](?:r1|v2|vl|llm|math|moe|v3(?![.p][2-9]|[-_][2-9](?!\d)))))/,
    { requiresThinking: "all" },
  ],
  // Kimi treats an empty text like a missing one, so it gets a space. Its models before K2.5 do not think, except K2 Thinking.
  [/(?:^|[/.:_-])kimi-(?:k2-thinking|k2[.p][5-9]|k[3-9]|thinking)/, { requiresThinking: "calls", emptyThinking: " " }],
  // The servers of open models, such as vLLM and LM Studio, send and accept thinking as a text (https://github.com/vllm-project/vllm/pull/28248).
  [
    /(?:^|[/.:_-])(?:gpt-oss|qwen|qwq|deepseek|kimi|minimax|glm-|gemma|nemotron|magistral|olmo|granite|exaone|hunyuan|ernie|phi-\d|seed-oss)/,
    { plainThinking: true },
  ],
  // Gateways forward schemas to the provider of the model, which applies its rules. Ids of models of other clouds begin with a region, as in
  // `eu.anthropic.claude-…`.
  [/(?:^|[/.:_-])(?:moonshot|kimi)/, { schemaRules: "moonshot" }],
  [/(?:^|[/.:_-])claude|(?:^|[/.:])anthropic[/.]/, { schemaRules: "anthropic" }],
  [/(?:^|[/.:_-])gemini|(?:^|\/)google\//, { schemaRules: "google" }],
];

/** By the domain of a server that has no preset. */
const byDomain: Readonly<Record<string, Partial<Compatibility>>> = {
  // The endpoints with Chat Completions of these two convert schemas to those of their own APIs.
  "anthropic.com": { schemaRules: "anthropic" },
  "googleapis.com": { schemaRules: "google" },
};

/** The servers on the Internet by their domains. Local servers are recognised by their preset alone. */
const presetByDomain = new Map<string, ServerPreset>(
  Object.values<ServerPreset>(modelPresets).flatMap((preset) =>
    [...(preset.keyless === true ? [] : [domainOf(preset.baseUrl)]), ...(preset.domains ?? [])].map(
      (domain) => [domain, preset] as const,
    ),
  ),
);

/** The presets by the host of their address. */
const presetByHost = new Map(
  Object.entries<ServerPreset>(modelPresets)
    .filter(([, { keyless }]) => keyless !== true)
    .map(([name, { baseUrl }]) => [new URL(baseUrl).host, name]),
);

/** The name of the preset whose address has this host. Undefined for other hosts, and for local servers. */
export function presetAt(host: string | null): string | undefined {
  return presetByHost.get(host ?? "");
}

/** The last two labels of an address' host: `groq.com` of `https://api.groq.com/openai/v1`. */
function domainOf(address: string): string {
  return new URL(address).hostname.split(".").slice(-2).join(".");
}

/** What is known of the server of a model. */
function ofServer(model: AnyModelDefinition, host: string | null): Partial<Compatibility> {
  const domain = (host ?? "").replace(/:\d+$/, "").split(".").slice(-2).join(".");
  const preset = presetNamed(model) ?? presetByDomain.get(domain);
  return preset?.compat ?? (Object.hasOwn(byDomain, domain) ? (byDomain[domain] ?? {}) : {});
}

/** The server that a definition names; undefined without a preset, or for a name that no row has. */
export function presetNamed({ preset }: Pick<AnyModelDefinition, "preset">): ServerPreset | undefined {
  return preset !== undefined && Object.hasOwn(modelPresets, preset) ? modelPresets[preset] : undefined;
}

/** The fields of a definition's `compat` that are set. */
function ofDefinition({ compat = {} }: AnyModelDefinition): Partial<Compatibility> {
  return Object.fromEntries(Object.entries(compat).filter(([, value]) => value !== undefined));
}

function find(model: AnyModelDefinition, host: string | null): Compatibility {
  const id = model.model.toLowerCase();
  const ofModel = byModel.flatMap(([ids, fields]) => (ids.test(id) ? [fields] : []));
  return Object.assign({}, defaults, ...ofModel, ofServer(model, host), ofDefinition(model)) as Compatibility;
}

/** The last result for each definition. A request needs it for each assistant message. */
const known = new WeakMap<AnyModelDefinition, { host: string | null; found: Compatibility }>();

/** The complete `compat` of a model at a host; null is OpenAI's own address. */
export function compatibilityOf(model: AnyModelDefinition, host: string | null): Compatibility {
  const last = known.get(model);
  if (last?.host === host) return last.found;
  const found = find(model, host);
  known.set(model, { host, found });
  return found;
}
