// The kinds of definitions: their folders, and how a value's kind is recognised.

import { hookNameOf } from "#spec/define-hook.ts";
import { threadEndpointHandler } from "#spec/endpoint.ts";
import { isInputFilter } from "#spec/input-filter.ts";

/** The folders of `agents/`. */
export const definitionFolders = [
  "models",
  "providers",
  "prompts",
  "agents",
  "tools",
  "strategies",
  "mcp",
  "openapi",
  "hooks",
  "filters",
  "api",
] as const;

export type DefinitionFolder = (typeof definitionFolders)[number];

/** The kind of a default export. */
export type ExportKind =
  | "model"
  | "provider"
  | "prompt"
  | "agent"
  | "tool"
  | "strategy"
  | "MCP server"
  | "OpenAPI document"
  | "hook"
  | "filter"
  | "thread endpoint"
  | "function"
  | "unknown";

/** The kinds whose definitions have names. */
export type NamedKind = "model" | "provider" | "prompt" | "agent" | "tool" | "strategy" | SourceKind;

/** The kinds whose definitions have many tools. */
export type SourceKind = "MCP server" | "OpenAPI document";

/**
 * The folders of definitions that have many tools: their kind, and the entry of the package that connects to the tools. The folder's name
 * is the kind in the registry.
 */
export const toolSources = {
  mcp: { kind: "MCP server", module: "threadhold/tools/mcp" },
  openapi: { kind: "OpenAPI document", module: "threadhold/tools/openapi" },
} as const satisfies Record<string, { kind: SourceKind; module: string }>;

/** A folder of definitions that have many tools. */
export type SourceFolder = keyof typeof toolSources;

/** The function that creates the definitions of each folder. */
export const folderMakers: Record<DefinitionFolder, string> = {
  models: "defineModel",
  providers: "defineProvider",
  prompts: "definePrompt",
  agents: "defineAgent",
  tools: "defineTool",
  strategies: "defineStrategy",
  mcp: "defineMcpServer",
  openapi: "defineOpenApi",
  hooks: "defineHook",
  filters: "defineFilter",
  api: "defineController or defineThreadEndpoint",
};

/** The kind of the definitions in each folder of named definitions. */
export const folderKinds: Record<
  "models" | "providers" | "prompts" | "agents" | "tools" | "strategies" | SourceFolder,
  NamedKind
> = {
  models: "model",
  providers: "provider",
  prompts: "prompt",
  agents: "agent",
  tools: "tool",
  strategies: "strategy",
  mcp: toolSources.mcp.kind,
  openapi: toolSources.openapi.kind,
};

const kindFolders: Partial<Record<ExportKind, DefinitionFolder>> = {
  model: "models",
  provider: "providers",
  prompt: "prompts",
  agent: "agents",
  tool: "tools",
  strategy: "strategies",
  "MCP server": "mcp",
  "OpenAPI document": "openapi",
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
  if (typeof value["model"] === "function" || typeof value["stream"] === "function") return "provider";
  if ("prompt" in value || "toolDescription" in value) return "prompt";
  if ("provider" in value) return "model";
  if ("document" in value) return "OpenAPI document";
  return "url" in value || "command" in value ? "MCP server" : "unknown";
}

/** Whether a value is a hook in the form of Standard Agents' `HookDefinition`: a pair of name and function. A tool has three elements. */
export function isHookPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && typeof value[1] === "function";
}

/** Returns the name of a kind with its article, for messages. */
export function withArticle(kind: ExportKind): string {
  return `${/^(?:[aeiouO]|MCP)/.test(kind) ? "an" : "a"} ${kind}`;
}

/** The folder of a kind. */
export function folderOf(kind: ExportKind): DefinitionFolder | undefined {
  return kindFolders[kind];
}

/** Whether a value is an object whose properties can be read. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
