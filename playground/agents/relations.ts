// Finds the relations between definitions in the API's response: an agent's prompts, a prompt's model, the tools that
// it may call, and a model's fallbacks.

import type { Json } from "threadhold/client";

import { keyOf, sourceOf } from "./definition.ts";
import type { DefinitionSet, Prompt, Reference } from "./definition.ts";

/** The ways in which one definition uses another. */
export type Relation =
  | "prompt"
  | "prompt_a"
  | "prompt_b"
  | "model"
  | "tool"
  | "source"
  | "skill"
  | "sub_prompt"
  | "include"
  | "handoff"
  | "sub_agent"
  | "fallback"
  | "stop_tool"
  | "end_tool";

/** One definition that uses another one. */
export interface Link {
  from: Reference;
  to: Reference;
  relation: Relation;
}

/** Texts of each relation: a short one for an edge, one for the used definition, and one for the user. */
export const relationText: Readonly<Record<Relation, { short: string; uses: string; usedBy: string }>> = {
  prompt: { short: "prompt", uses: "Prompt", usedBy: "Prompt of" },
  prompt_a: { short: "side A", uses: "Prompt of side A", usedBy: "Side A of" },
  prompt_b: { short: "side B", uses: "Prompt of side B", usedBy: "Side B of" },
  model: { short: "model", uses: "Model", usedBy: "Model of" },
  tool: { short: "tool", uses: "Tools", usedBy: "Tool of" },
  source: { short: "tools of", uses: "Tools of", usedBy: "Tools for" },
  skill: { short: "skill", uses: "Skills", usedBy: "Skill of" },
  sub_prompt: { short: "sub-prompt", uses: "Sub-prompts", usedBy: "Sub-prompt of" },
  include: { short: "includes", uses: "Includes", usedBy: "Included by" },
  handoff: { short: "handoff", uses: "Hands off to", usedBy: "Handoff target of" },
  sub_agent: { short: "sub-agent", uses: "Sub-agents", usedBy: "Sub-agent of" },
  fallback: { short: "fallback", uses: "Falls back to", usedBy: "Fallback of" },
  stop_tool: { short: "ends turn", uses: "Stop tool", usedBy: "Stop tool of" },
  end_tool: { short: "ends session", uses: "Tool that ends the session", usedBy: "Ends the session of" },
};

/** Every relation of the set, each once, in the order in which the definitions name them. */
export function linksOf(set: DefinitionSet): Link[] {
  const links = new Map<string, Link>();
  const add = (link: Link): void => {
    links.set(`${keyOf(link.from)} ${link.relation} ${keyOf(link.to)}`, link);
  };
  for (const { name, type, sideA, sideB } of set.agents) {
    const from: Reference = { kind: "agent", name };
    const dual = type === "dual_ai";
    const sides: { side: typeof sideA; relation: Relation }[] = [
      { side: sideA, relation: dual ? "prompt_a" : "prompt" },
    ];
    // The second side of an agent is used only if its two sides talk to each other.
    if (dual && sideB !== null) sides.push({ side: sideB, relation: "prompt_b" });
    for (const { side, relation } of sides) {
      add({ from, to: { kind: "prompt", name: side.prompt }, relation });
      if (side.stopTool !== null) add({ from, to: callable(side.stopTool, set), relation: "stop_tool" });
      if (side.endSessionTool !== null) add({ from, to: callable(side.endSessionTool, set), relation: "end_tool" });
    }
  }
  for (const prompt of set.prompts) {
    const from: Reference = { kind: "prompt", name: prompt.name };
    add({ from, to: { kind: "model", name: prompt.model }, relation: "model" });
    for (const name of includesOf(prompt)) add({ from, to: { kind: "prompt", name }, relation: "include" });
    for (const name of skillsOf(prompt, set)) add({ from, to: { kind: "skill", name }, relation: "skill" });
    for (const name of offersOf(prompt)) {
      const to = callable(name, set);
      add({ from, to, relation: relationTo(to, set) });
    }
  }
  for (const { name, fallbacks } of set.models) {
    for (const other of fallbacks) {
      add({ from: { kind: "model", name }, to: { kind: "model", name: other }, relation: "fallback" });
    }
  }
  return [...links.values()];
}

/** The definition that a called name refers to: a tool if there is one, else a prompt, an agent, or the source of the name's prefix. */
export function callable(name: string, set: DefinitionSet): Reference {
  const { tools, prompts, agents } = set;
  if (tools.some((tool) => tool.name === name && tool.kind === "tool")) return { kind: "tool", name };
  if (prompts.some((prompt) => prompt.name === name)) return { kind: "prompt", name };
  if (agents.some((agent) => agent.name === name)) return { kind: "agent", name };
  const source = sourceOf(name, set);
  return source === undefined ? { kind: "tool", name } : { kind: "source", name: source.name };
}

/** An agent with one side takes over the conversation; an agent with two sides works in a child thread. */
function relationTo({ kind, name }: Reference, { agents }: DefinitionSet): Relation {
  if (kind === "prompt") return "sub_prompt";
  if (kind === "source") return "source";
  if (kind !== "agent") return "tool";
  return agents.some((agent) => agent.name === name && agent.type === "dual_ai") ? "sub_agent" : "handoff";
}

/** Names of the prompts whose text this prompt includes. */
function includesOf({ prompt }: Prompt): string[] {
  return (Array.isArray(prompt) ? prompt : []).flatMap((part) => {
    const named = fieldOf(part, "type") === "include" ? fieldOf(part, "prompt") : undefined;
    return typeof named === "string" ? [named] : [];
  });
}

/** Names of the project's skills that the prompt uses. */
function skillsOf({ skills: chosen }: Prompt, { skills }: DefinitionSet): string[] {
  return chosen === true ? skills.map(({ name }) => name) : [...(chosen ?? [])];
}

/** Names that the prompt's model may call. A name that ends with `*` means all tools of a source. */
export function offersOf({ tools }: Prompt): string[] {
  return tools.flatMap((offer) => {
    const name = typeof offer === "string" ? offer : fieldOf(offer, "name");
    return typeof name === "string" ? [name] : [];
  });
}

/** A field of a JSON object; undefined for any other value. */
export function fieldOf(value: Json, field: string): Json | undefined {
  return value === null || typeof value !== "object" || Array.isArray(value) ? undefined : value[field];
}
