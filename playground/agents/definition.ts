// What the pages call a definition: its kind, its name, and the address of its page.

import type { Definitions } from "threadhold/client";

type Listed<K extends keyof Definitions> = Awaited<ReturnType<Definitions[K]["list"]>>[number];

export type Agent = Listed<"agents">;
export type Prompt = Listed<"prompts">;
export type Model = Listed<"models">;
/** What a model may call: of kind `tool`, or a prompt or an agent that stands as one. */
export type Tool = Listed<"tools">;
export type Hook = Listed<"hooks">;
export type Route = Listed<"routes">;

/** Everything that the project defines, each kind by name. */
export interface DefinitionSet {
  agents: readonly Agent[];
  prompts: readonly Prompt[];
  models: readonly Model[];
  tools: readonly Tool[];
  hooks: readonly Hook[];
  routes: readonly Route[];
}

/** The kinds, in the order of the pages. */
export const kinds = ["agent", "prompt", "tool", "model"] as const;
export type Kind = (typeof kinds)[number];

/** A definition by kind and name. */
export interface Reference {
  kind: Kind;
  name: string;
}

/** A text that no other definition has. */
export function keyOf({ kind, name }: Reference): string {
  return `${kind}:${name}`;
}

/** The address of its page. */
export function definitionPath({ kind, name }: Reference): string {
  return `/${kind}s/${encodeURIComponent(name)}`;
}

/** The addresses of definitions. */
export const definitionRoute = /^\/(?<kind>agent|prompt|tool|model)s\/(?<name>[^/]+)\/?$/;

/** The name in an address, of which the router has undone all escapes but those of characters that mean something in one. */
export function nameIn(part: string): string {
  return part.replaceAll(/%(?:2[346BCF]|3[ABDF]|40)/gi, (escape) => decodeURIComponent(escape));
}

/** Of the set, everything by kind and name. What is a prompt or an agent in the first place is no tool here. */
export function referencesOf({ agents, prompts, models, tools }: DefinitionSet): Reference[] {
  const of = (kind: Kind, listed: readonly { name: string }[]): Reference[] =>
    listed.map(({ name }) => ({ kind, name }));
  return [...of("agent", agents), ...of("prompt", prompts), ...of("tool", ownTools(tools)), ...of("model", models)];
}

/** The tools that are files of their own. */
function ownTools(tools: readonly Tool[]): Tool[] {
  return tools.filter(({ kind }) => kind === "tool");
}
