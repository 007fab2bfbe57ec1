// A definition on the pages: its kind, its name, and the address of its page.

import type { Definitions } from "threadhold/client";

type Listed<K extends keyof Definitions> = Awaited<ReturnType<Definitions[K]["list"]>>[number];

export type Agent = Listed<"agents">;
export type Prompt = Listed<"prompts">;
export type Model = Listed<"models">;
/** A definition that a model may call: a tool, or a prompt or an agent that is offered as a tool. */
export type Tool = Listed<"tools">;
/** A definition that has many tools: an MCP server, or an API with an OpenAPI document. */
export type Source = Listed<"sources">;
type Skill = Listed<"skills">;
export type Strategy = Listed<"strategies">;
export type Hook = Listed<"hooks">;
export type Filter = Listed<"filters">;
export type Route = Listed<"routes">;

/** All definitions of the project, each kind sorted by name. */
export interface DefinitionSet {
  agents: readonly Agent[];
  prompts: readonly Prompt[];
  models: readonly Model[];
  tools: readonly Tool[];
  sources: readonly Source[];
  skills: readonly Skill[];
  strategies: readonly Strategy[];
  hooks: readonly Hook[];
  filters: readonly Filter[];
  routes: readonly Route[];
}

/** The kinds, in the order in which the pages show them. */
export const kinds = ["agent", "prompt", "tool", "source", "skill", "model"] as const;
export type Kind = (typeof kinds)[number];

/** A definition by kind and name. */
export interface Reference {
  kind: Kind;
  name: string;
}

/** A key that is unique among all definitions. */
export function keyOf({ kind, name }: Reference): string {
  return `${kind}:${name}`;
}

/** The address of a definition's page. */
export function definitionPath({ kind, name }: Reference): string {
  return `/${kind}s/${encodeURIComponent(name)}`;
}

/** The address of the page of all definitions. */
export const definitionsPath = "/definitions";

/** The address of the page of the catalogue of models. */
export const cataloguePath = "/definitions/catalogue";

/** Matches the addresses above those of definitions' pages, such as `/agents`. They lead to the page of all definitions. */
export const kindRoute = /^\/(?:agent|prompt|tool|source|skill|model)s\/?$/;

/** Matches the addresses of definitions' pages. */
export const definitionRoute = /^\/(?<kind>agent|prompt|tool|source|skill|model)s\/(?<name>[^/]+)\/?$/;

/**
 * The name in a part of an address. The router has decoded it, except for escaped characters that have a meaning in
 * addresses.
 */
export function nameIn(part: string): string {
  return part.replaceAll(/%(?:2[346BCF]|3[ABDF]|40)/gi, (escape) => decodeURIComponent(escape));
}

/**
 * All definitions of the set by kind and name. A prompt or an agent that is offered as a tool is not listed as a tool.
 */
export function referencesOf({ agents, prompts, models, tools, sources, skills }: DefinitionSet): Reference[] {
  const of = (kind: Kind, listed: readonly { name: string }[]): Reference[] =>
    listed.map(({ name }) => ({ kind, name }));
  return [
    ...of("agent", agents),
    ...of("prompt", prompts),
    ...of("tool", ownTools(tools)),
    ...of("source", sources),
    ...of("skill", skills),
    ...of("model", models),
  ];
}

/** The source to which a tool belongs by the prefix of its name; undefined for any other name. */
export function sourceOf(tool: string, { tools, sources }: DefinitionSet): Source | undefined {
  // The project's own tools take precedence.
  if (tools.some(({ name }) => name === tool)) return undefined;
  return sources.find(({ prefix }) => tool.startsWith(`${prefix}__`));
}

/** The tools that have a file of their own. */
function ownTools(tools: readonly Tool[]): Tool[] {
  return tools.filter(({ kind }) => kind === "tool");
}
