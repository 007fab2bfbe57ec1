// The definitions that the checks work on, by kind. Definitions that exist but could not be read are listed apart, so that one broken
// file does not make every reference to it an error.

import type { AnyAgentDefinition } from "#spec/agent.ts";
import type { ProviderDefinition } from "#spec/define-provider.ts";
import type { AnyStrategyDefinition } from "#spec/define-strategy.ts";
import type { RouteAccess } from "#spec/endpoint.ts";
import type { AnyHookName } from "#spec/hook.ts";
import type { AnyMcpServerDefinition } from "#spec/mcp-server.ts";
import type { ModelCatalogue } from "#spec/model-catalogue.ts";
import type { AnyModelDefinition } from "#spec/model.ts";
import type { AnyOpenApiDefinition } from "#spec/open-api.ts";
import type { ProjectSkill } from "#spec/project-skill.ts";
import type { AnyPromptDefinition } from "#spec/prompt.ts";
import type { RouteMethod } from "#spec/registry.ts";
import type { AnyToolDefinition } from "#spec/tool.ts";

import { toolSources, type NamedKind, type SourceFolder } from "./definition-kind.ts";
import type { WorkerEnvironment } from "./worker-environment.ts";

export interface Definition<Value> {
  name: string;
  file: string;
  value: Value;
}

interface HookDefinition {
  hook: AnyHookName;
  file: string;
  /** Whether the file exports a pair of name and function. */
  pair: boolean;
}

interface RouteDefinition {
  method: RouteMethod;
  pattern: string;
  params: string[];
  file: string;
  kind: "controller" | "thread";
  access?: RouteAccess;
}

/** A definition that exists but could not be read. Without a name it may be any definition of its kind. */
interface BrokenDefinition {
  kind: NamedKind;
  name?: string;
  /** The provider that a model names although other fields of it are broken, and the file of the model. */
  provider?: string;
  file?: string;
}

export interface Project {
  models: Definition<AnyModelDefinition>[];
  /** The project's own providers. Models that name one of them have it attached. */
  providers: Definition<ProviderDefinition>[];
  /** The catalogue's entries of the models. */
  catalogue: ModelCatalogue;
  prompts: Definition<AnyPromptDefinition>[];
  agents: Definition<AnyAgentDefinition>[];
  tools: Definition<AnyToolDefinition>[];
  strategies: Definition<AnyStrategyDefinition>[];
  /** The definitions that have many tools, by folder. */
  sources: { mcp: Definition<AnyMcpServerDefinition>[]; openapi: Definition<AnyOpenApiDefinition>[] };
  skills: ProjectSkill[];
  hooks: HookDefinition[];
  filters: { file: string }[];
  routes: RouteDefinition[];
  /** What definitions read as `state.env`. */
  environment: WorkerEnvironment;
  broken: BrokenDefinition[];
}

export function emptyProject(): Project {
  return {
    models: [],
    providers: [],
    catalogue: {},
    prompts: [],
    agents: [],
    tools: [],
    strategies: [],
    sources: { mcp: [], openapi: [] },
    skills: [],
    hooks: [],
    filters: [],
    routes: [],
    environment: { names: [], secrets: [] },
    broken: [],
  };
}

/** The readable definitions of a kind. */
export function definitionsOf(project: Project, kind: NamedKind): Definition<unknown>[] {
  const { models, providers, prompts, agents, tools, strategies, sources } = project;
  const { mcp, openapi } = sources;
  const named = {
    model: models,
    provider: providers,
    prompt: prompts,
    agent: agents,
    tool: tools,
    strategy: strategies,
  };
  return { ...named, "MCP server": mcp, "OpenAPI document": openapi }[kind];
}

/** A definition that has many tools. `prefix` is the beginning of the tools' names, before `__`. */
export interface PrefixedDefinition {
  name: string;
  file: string;
  folder: SourceFolder;
  prefix: string;
}

/** The definitions that have many tools, of all kinds. */
export function prefixedDefinitions({ sources }: Project): PrefixedDefinition[] {
  return (Object.keys(toolSources) as SourceFolder[]).flatMap((folder) =>
    sources[folder].map(({ name, file, value }) => ({ name, file, folder, prefix: value.prefix ?? name })),
  );
}

/** The definitions that can be called as a tool, with their kinds. */
export function callablesOf(project: Project): (Definition<unknown> & { kind: NamedKind })[] {
  const kinds = ["tool", "prompt", "agent"] as const;
  return kinds.flatMap((kind) => definitionsOf(project, kind).map((definition) => ({ ...definition, kind })));
}

/** Whether a definition that could not be read may have this name. */
export function mayBeBroken(project: Project, kinds: readonly NamedKind[], name: string): boolean {
  return project.broken.some(
    (broken) => kinds.includes(broken.kind) && (broken.name === undefined || broken.name === name),
  );
}
