// The registry of a project's definitions, which the compiler writes to `.threadhold/registry.ts` and the runtime reads. Each entry
// loads its definition when it is first used.

import type { AnyAgentDefinition } from "./agent.ts";
import type { ProviderDefinition } from "./define-provider.ts";
import type { AnyStrategyDefinition } from "./define-strategy.ts";
import type { Controller, RouteAccess } from "./endpoint.ts";
import type { AnyHookName, HookFunction } from "./hook.ts";
import type { InputFilter } from "./input-filter.ts";
import type { AnyMcpServerDefinition } from "./mcp-server.ts";
import type { ModelCatalogue } from "./model-catalogue.ts";
import type { AnyModelDefinition } from "./model.ts";
import type { AnyOpenApiDefinition } from "./open-api.ts";
import type { SkillsEntry } from "./project-skill.ts";
import type { AnyPromptDefinition } from "./prompt.ts";
import type { AnyToolDefinition } from "./tool.ts";

/** Methods that a file in `agents/api/` can handle. HEAD and OPTIONS are handled by the runtime. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One hook file. Several files may implement the same hook; they run in the order of the list. */
export interface HookEntry {
  hook: AnyHookName;
  /** Path relative to the project's root. */
  file: string;
  load: () => Promise<HookFunction>;
}

/** One file of `agents/filters/`. The filters run in the order of the list. */
export interface FilterEntry {
  /** Path relative to the project's root. */
  file: string;
  load: () => Promise<InputFilter>;
}

/** One route file. */
export interface RouteEntry {
  method: RouteMethod;
  /** Path relative to `/api`, such as `/threads/:id/status`. A last segment `*rest` matches one or more segments. */
  pattern: string;
  /** Names of the dynamic segments in the order of the pattern. */
  params: string[];
  /** Path relative to the project's root. */
  file: string;
  /** `thread` for an endpoint made by `defineThreadEndpoint`. */
  kind: "controller" | "thread";
  /** The file's export `access`. Default `user`. */
  access?: RouteAccess;
  load: () => Promise<Controller>;
}

/** A definition that has many tools, such as an MCP server. */
export interface ToolSourceDefinition {
  name: string;
  /** The names of its tools begin with the prefix and `__`. */
  prefix: string;
  /** Path relative to the project's root. */
  file: string;
  load: () => Promise<AnyMcpServerDefinition | AnyOpenApiDefinition>;
}

/** The definitions of one kind that have many tools. */
export interface ToolSourceEntry {
  kind: "mcp" | "openapi";
  /** Loads the module of this package that connects to the definitions' tools. */
  load: () => Promise<object>;
  definitions: readonly ToolSourceDefinition[];
}

/** A project's definitions by name. Hooks are sorted by file name, routes from most to least specific. */
export interface Registry {
  models: Record<string, () => Promise<AnyModelDefinition>>;
  prompts: Record<string, () => Promise<AnyPromptDefinition>>;
  agents: Record<string, () => Promise<AnyAgentDefinition>>;
  tools: Record<string, () => Promise<AnyToolDefinition>>;
  /** The catalogue's entries of the project's models. Absent if it has none of them. */
  catalogue?: ModelCatalogue;
  /** The providers of the project's own. Absent if it has none. */
  providers?: Record<string, () => Promise<ProviderDefinition>>;
  /** Absent if the project has none. */
  strategies?: Record<string, () => Promise<AnyStrategyDefinition>>;
  /** Absent if the project has no definitions with many tools. */
  toolSources?: readonly ToolSourceEntry[];
  /** Absent if the project has no skills and no prompt uses skills. */
  skills?: SkillsEntry;
  hooks: readonly HookEntry[];
  /** Absent if the registry was written by an earlier version of the compiler. */
  filters?: readonly FilterEntry[];
  routes: readonly RouteEntry[];
  /** The names of secrets in `.dev.vars`, its example and the wrangler file. Absent if they are unknown. */
  secrets?: readonly string[];
  /** The file of each definition, relative to the project's root. Absent if the registry was not written by the compiler. */
  files?: Readonly<Record<"models" | "prompts" | "agents" | "tools", Readonly<Record<string, string>>>> & {
    readonly strategies?: Readonly<Record<string, string>>;
    readonly providers?: Readonly<Record<string, string>>;
  };
  /** A hash that changes whenever a definition or one of its imports changes. */
  hash: string;
}
