// The kinds of definitions: their folders, and how a value's kind is recognised.

import { hookNameOf } from "#spec/define-hook.ts";
import { threadEndpointHandler } from "#spec/endpoint.ts";
import { isInputFilter } from "#spec/input-filter.ts";

/** The folders of `agents/`. */
export const definitionFolders = [
  "models",
  "prompts",
  "agents",
  "tools",
  "strategies",
  "hooks",
  "filters",
  "api",
] as const;

export type DefinitionFolder = (typeof definitionFolders)[number];

/** The kind of a default export. */
export type ExportKind =
  | "model"
  | "prompt"
  | "agent"
  | "tool"
  | "strategy"
  | "hook"
  | "filter"
  | "thread endpoint"
  | "function"
  | "unknown";

/** The kinds whose definitions have names. */
export type NamedKind = "model" | "prompt" | "agent" | "tool" | "strategy";

/** The function that creates the definitions of each folder. */
export const folderMakers: Record<DefinitionFolder, string> = {
  models: "defineModel",
  prompts: "definePrompt",
  agents: "defineAgent",
  tools: "defineTool",
  strategies: "defineStrategy",
  hooks: "defineHook",
  filters: "defineFilter",
  api: "defineController or defineThreadEndpoint",
};

/** The kind of the definitions in each folder of named definitions. */
export const folderKinds: Record<"models" | "prompts" | "agents" | "tools" | "strategies", NamedKind> = {
  models: "model",
  prompts: "prompt",
  agents: "agent",
  tools: "tool",
  strategies: "strategy",
};

const kindFolders: Partial<Record<ExportKind, DefinitionFolder>> = {
  model: "models",
  prompt: "prompts",
  agent: "agents",
  tool: "tools",
  strategy: "strategies",
  hook: "hooks",
  filter: "filters",
  "thread endpoint": "api",
};

/** Recognises a value's kind by its shape, so that definitions written without the define functions count too. */
export function exportKindOf(value: unknown): ExportKind {
  if (typeof value === "function") {
    if (hookNameOf(value) !== undefined) return "hook";
    if (isInputFilter(value)) return "filter";
    return threadEndpointHandler(value) === undefined ? "function" : "thread endpoint";
  }
  if (Array.isArray(value)) {
    if (typeof value[0] !== "string" || value.length < 2) return "unknown";
    return isHookPair(value) ? "hook" : "tool";
  }
  if (!isObject(value)) return "unknown";
  if ("sideA" in value) return "agent";
  if (typeof value["next"] === "function") return "strategy";
  if ("prompt" in value || "toolDescription" in value) return "prompt";
  return "provider" in value ? "model" : "unknown";
}

/** Whether a value is a hook in the form of Standard Agents' `HookDefinition`: a pair of name and function. A tool has three elements. */
export function isHookPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && typeof value[1] === "function";
}

/** The folder of a kind. */
export function folderOf(kind: ExportKind): DefinitionFolder | undefined {
  return kindFolders[kind];
}

/** Whether a value is an object whose properties can be read. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
