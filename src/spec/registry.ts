// The registry: what the compiler hands to the runtime. Generated into `.threadhold/registry.ts`; every entry loads
// its definition when it is first asked for.

import type { AnyAgentDefinition } from "./agent.ts";
import type { Controller, RouteAccess } from "./endpoint.ts";
import type { AnyHookName, HookFunction } from "./hook.ts";
import type { AnyModelDefinition } from "./model.ts";
import type { AnyPromptDefinition } from "./prompt.ts";
import type { AnyToolDefinition } from "./tool.ts";

/** Methods a file of `agents/api/` can answer; HEAD and OPTIONS are answered for it. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One hook file. Several may implement one hook; they run in the order of the list. */
export interface HookEntry {
  hook: AnyHookName;
  /** Path from the project's root. */
  file: string;
  load: () => Promise<HookFunction>;
}

/** One route file. */
export interface RouteEntry {
  method: RouteMethod;
  /** Relative to `/api`: `/threads/:id/status`; a last segment `*rest` stands for one segment or more. */
  pattern: string;
  /** Names of the dynamic segments, in the order they stand in the pattern. */
  params: string[];
  /** Path from the project's root. */
  file: string;
  /** `thread` when made by `defineThreadEndpoint`. */
  kind: "controller" | "thread";
  /** What the file exports as `access`; `user` when absent. */
  access?: RouteAccess;
  load: () => Promise<Controller>;
}

/** A project's definitions by name, hooks sorted by file name, routes from most to least specific. */
export interface Registry {
  models: Record<string, () => Promise<AnyModelDefinition>>;
  prompts: Record<string, () => Promise<AnyPromptDefinition>>;
  agents: Record<string, () => Promise<AnyAgentDefinition>>;
  tools: Record<string, () => Promise<AnyToolDefinition>>;
  hooks: readonly HookEntry[];
  routes: readonly RouteEntry[];
  /** The file of each named definition, as a path from the project's root. Absent in a registry that no compiler wrote. */
  files?: Readonly<Record<"models" | "prompts" | "agents" | "tools", Readonly<Record<string, string>>>>;
  /** Changes whenever a definition, or anything it imports, changes. */
  hash: string;
}
