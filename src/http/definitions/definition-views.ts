// The JSON views of agents, models and prompts for clients. Functions are omitted.

import type { AgentView, CatalogueModelView, ModelView, PromptView } from "#contract/definition.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/agent.ts";
import type { CatalogueModel, ModelFacts, ModelReadiness } from "#spec/model-status.ts";
import type { AnyModelDefinition, TokenPrices } from "#spec/model.ts";
import type { AnyPromptDefinition, ReasoningConfig } from "#spec/prompt.ts";

/** What the view of an agent needs in addition to the definition. */
interface AgentViewContext {
  /** Origin of the deployment, which completes an icon's absolute path. */
  origin: string;
  file: string | null;
}

export function agentView(agent: AnyAgentDefinition, { origin, file }: AgentViewContext): AgentView {
  // oxlint-disable-next-line typescript/no-deprecated -- definitions still have it, and user interfaces show it
  const { title } = agent;
  return {
    name: agent.name,
    file,
    title: title ?? agent.name,
    type: agent.type ?? "ai_human",
    description: agent.description ?? null,
    starters: [...(agent.starters ?? [])],
    icon: agent.icon === undefined ? null : iconUrl(agent.icon, origin),
    exposeAsTool: agent.exposeAsTool ?? false,
    toolDescription: agent.toolDescription ?? null,
    maxSessionTurns: agent.maxSessionTurns ?? null,
    sideA: sideView(agent, agent.sideA),
    sideB: agent.sideB === undefined ? null : sideView(agent, agent.sideB),
  };
}

function iconUrl(icon: string, origin: string): string {
  return icon.startsWith("/") ? new URL(icon, origin).href : icon;
}

function sideView(agent: AnyAgentDefinition, side: SideConfig): AgentView["sideA"] {
  const strategy = side.strategy ?? agent.strategy ?? "loop";
  return {
    label: side.label ?? null,
    prompt: side.prompt,
    strategy: typeof strategy === "string" ? strategy : strategy.type,
    stopOnResponse: side.stopOnResponse ?? true,
    stopTool: side.stopTool ?? null,
    stopToolResponseProperty: side.stopToolResponseProperty ?? null,
    maxSteps: side.maxSteps ?? null,
    endSessionTool: side.endSessionTool ?? null,
  };
}

/** The view of a model. Address, headers and script are omitted, because they may contain secrets. */
export function modelView(
  model: AnyModelDefinition,
  { ready, missing, facts, file }: ModelReadiness & { facts: ModelFacts; file: string | null },
): ModelView {
  const view = factsView(facts);
  const { vision, functionCalling, structuredOutputs } = model.capabilities ?? {};
  const stated = {
    ...(vision === undefined ? {} : { vision }),
    ...(functionCalling === undefined ? {} : { functionCalling }),
    ...(structuredOutputs === undefined ? {} : { structuredOutputs }),
  };
  return {
    name: model.name,
    file,
    provider: model.provider,
    model: model.model,
    includedProviders: [...(model.includedProviders ?? [])],
    fallbacks: [...(model.fallbacks ?? [])],
    ...view,
    max_tokens: model.maxTokens ?? null,
    capabilities: { ...view.capabilities, ...stated },
    capabilities_source: Object.keys(view.capabilities).every((name) => name in stated)
      ? null
      : view.capabilities_source,
    ready,
    missing: missing[0] ?? null,
    missing_names: [...missing],
  };
}

/** The view of a model of the catalogue. */
export function catalogueModelView({ facts, ...model }: CatalogueModel): CatalogueModelView {
  return { ...model, ...factsView(facts) };
}

function factsView({ limits, limitsSource, prices, pricesSource, capabilities }: ModelFacts) {
  const { source = null, ...known } = capabilities ?? {};
  return {
    ...fourPrices(prices),
    longPrompt:
      prices.longPrompt === undefined ? null : { above: prices.longPrompt.above, ...fourPrices(prices.longPrompt) },
    prices_source: pricesSource,
    context_window: limits.contextWindow,
    input_limit: limits.inputLimit,
    output_limit: limits.outputLimit,
    limits_source: limitsSource,
    capabilities: known,
    capabilities_source: source,
  };
}

function fourPrices({ inputPrice, outputPrice, cachedPrice, cacheWritePrice }: TokenPrices) {
  return {
    inputPrice: inputPrice ?? null,
    outputPrice: outputPrice ?? null,
    cachedPrice: cachedPrice ?? null,
    cacheWritePrice: cacheWritePrice ?? null,
  };
}

export function promptView(prompt: AnyPromptDefinition, file: string | null): PromptView {
  return {
    name: prompt.name,
    file,
    toolDescription: prompt.toolDescription,
    model: prompt.model,
    prompt: asJson(prompt.prompt),
    tools: (prompt.tools ?? []).map(asJson),
    includeChat: prompt.includeChat ?? false,
    includePastTools: prompt.includePastTools ?? false,
    parallelToolCalls: prompt.parallelToolCalls ?? false,
    skills: prompt.skills ?? null,
    toolChoice: prompt.toolChoice ?? "auto",
    recentImageThreshold: prompt.recentImageThreshold ?? 10,
    reasoning: prompt.reasoning === undefined ? null : reasoningView(prompt.reasoning),
    requiredSchema:
      prompt.requiredSchema === undefined ? null : asJsonObject(argumentsJsonSchema(prompt.requiredSchema)),
    structure: prompt.structure === undefined ? null : asJsonObject(argumentsJsonSchema(prompt.structure)),
  };
}

function reasoningView({ effort, maxTokens, exclude, include }: ReasoningConfig): NonNullable<PromptView["reasoning"]> {
  return {
    effort: effort ?? null,
    maxTokens: maxTokens ?? null,
    exclude: exclude ?? false,
    include: include ?? false,
  };
}

/** Converts strings and plain objects of a definition to JSON. The conversion through text drops functions and undefined values. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function asJsonObject(value: Record<string, unknown>): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
