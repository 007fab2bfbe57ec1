// Definitions as the API returns them, with default values for the fields that a test does not set.

import type { Json } from "#client/index.ts";
import type { Agent, DefinitionSet, Model, Prompt, Tool } from "#playground/agents/definition.ts";

type Side = Agent["sideA"];

function sideOf(prompt: string, endSessionTool: string | null): Side {
  return {
    label: null,
    prompt,
    strategy: "loop",
    stopOnResponse: true,
    stopTool: null,
    stopToolResponseProperty: null,
    maxSteps: null,
    endSessionTool,
  };
}

/** An agent; with a side B its two sides talk to each other. */
export function agentOf(name: string, sides: { sideA: string; sideB?: string; endSessionTool?: string }): Agent {
  return {
    name,
    file: null,
    title: name,
    type: sides.sideB === undefined ? "ai_human" : "dual_ai",
    description: null,
    starters: [],
    icon: null,
    exposeAsTool: false,
    toolDescription: null,
    maxSessionTurns: null,
    sideA: sideOf(sides.sideA, sides.endSessionTool ?? null),
    sideB: sides.sideB === undefined ? null : sideOf(sides.sideB, null),
  };
}

export function promptOf(name: string, more: { model: string; tools?: Json[]; prompt?: Json }): Prompt {
  return {
    name,
    file: null,
    toolDescription: name,
    prompt: name,
    tools: [],
    includeChat: false,
    includePastTools: false,
    parallelToolCalls: false,
    skills: null,
    toolChoice: "auto",
    reasoning: null,
    recentImageThreshold: 10,
    requiredSchema: null,
    structure: null,
    ...more,
  };
}

/** A model; one that lacks a variable is not ready. */
export function modelOf(name: string, { fallbacks = [], missing = null }: Partial<Model> = {}): Model {
  return {
    name,
    file: null,
    provider: "test",
    model: name,
    includedProviders: [],
    fallbacks,
    inputPrice: null,
    outputPrice: null,
    cachedPrice: null,
    cacheWritePrice: null,
    longPrompt: null,
    prices_source: null,
    capabilities: {},
    capabilities_source: null,
    context_window: null,
    input_limit: null,
    output_limit: null,
    limits_source: null,
    max_tokens: null,
    ready: missing === null,
    missing,
    missing_names: missing === null ? [] : [missing],
  };
}

/** A tool that is a file of its own. */
export function toolOf(name: string): Tool {
  const parameters = { type: "object", properties: {} };
  return {
    name,
    file: null,
    kind: "tool",
    description: name,
    parameters,
    remote: false,
    approval: "never",
    result_schema: null,
  };
}

/**
 * This many definitions: a quarter agents with a prompt each, two fifths shared tools, and a tenth models, of which five at a time are each
 * other's fallbacks.
 */
export function manyDefinitions(count = 200): DefinitionSet {
  const agents = Math.max(1, Math.floor(count / 4));
  const models = Math.max(1, Math.floor(count / 10));
  const tools = count - 2 * agents - models;
  const of = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
  return {
    agents: of(agents, (at) => agentOf(`agent_${at}`, { sideA: `prompt_${at}` })),
    prompts: of(agents, (at) =>
      promptOf(`prompt_${at}`, {
        model: `model_${at % models}`,
        tools: [`tool_${at % tools}`, `tool_${(at * 7) % tools}`, `tool_${(agents + (at % 30)) % tools}`],
      }),
    ),
    models: of(models, (at) =>
      modelOf(`model_${at}`, { fallbacks: at % 5 === 4 || at === models - 1 ? [] : [`model_${at + 1}`] }),
    ),
    tools: of(tools, (at) => toolOf(`tool_${at}`)),
    sources: [],
    skills: [],
    strategies: [],
    hooks: [],
    filters: [],
    routes: [],
  };
}
