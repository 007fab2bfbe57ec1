// The project's definitions as nodes and edges: a node for each definition, and one edge between two related
// definitions, whatever their relations are. A name that is used and not defined is a node too, marked as missing.

import { listed } from "../../kit/figures.ts";
import { keyOf, referencesOf } from "../definition.ts";
import type { DefinitionSet, Kind, Reference } from "../definition.ts";
import { findingsOf } from "../findings.ts";
import type { Finding } from "../findings.ts";
import { relationText } from "../relations.ts";
import type { Link, Relation } from "../relations.ts";

/** A definition in the graph. */
export interface GraphNode {
  id: string;
  kind: Kind;
  name: string;
  /** A short description. */
  about: string;
  /** The problem of the definition; null if there is none. */
  trouble: string | null;
  /** The same problem in fewer words. */
  brief: string | null;
  /** Whether the filter matches the definition. */
  found: boolean;
}

/** The relations between two definitions. */
export interface GraphEdge {
  id: string;
  from: string;
  to: string;
  relations: readonly Relation[];
  /** The relations as text. */
  label: string;
}

export interface DefinitionGraph {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
}

interface GraphSource {
  set: DefinitionSet;
  links: readonly Link[];
  findings: readonly Finding[];
}

/** The whole graph. */
export function definitionGraph({ set, links, findings }: GraphSource): DefinitionGraph {
  const nodes = new Map<string, GraphNode>();
  for (const reference of referencesOf(set)) {
    const wrong = findingsOf(reference, findings).length;
    const found = wrong > 0 ? `${wrong} ${wrong === 1 ? "finding" : "findings"}` : null;
    const missing = missingOf(reference, set);
    const trouble = found ?? missing;
    const brief = found ?? (missing === null ? null : "needs a key");
    nodes.set(keyOf(reference), {
      id: keyOf(reference),
      ...reference,
      about: aboutOf(reference, set),
      trouble,
      brief,
      found: true,
    });
  }
  const edges = new Map<string, GraphEdge>();
  for (const { from, to, relation } of links) {
    const target = keyOf(to);
    if (!nodes.has(target)) {
      nodes.set(target, {
        id: target,
        ...to,
        about: "not defined",
        trouble: "not defined",
        brief: "not defined",
        found: true,
      });
    }
    const id = `${keyOf(from)} ${target}`;
    const relations = [...(edges.get(id)?.relations ?? []), relation];
    const label = relations.map((one) => relationText[one].short).join(", ");
    edges.set(id, { id, from: keyOf(from), to: target, relations, label });
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** The part of a graph that matches a filter: the definitions whose names contain the text, and their neighbours. */
export function filteredGraph(graph: DefinitionGraph, text: string): DefinitionGraph {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return graph;
  const found = new Set(graph.nodes.filter(({ name }) => name.toLowerCase().includes(wanted)).map(({ id }) => id));
  const edges = graph.edges.filter(({ from, to }) => found.has(from) || found.has(to));
  const near = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const nodes = graph.nodes.filter(({ id }) => found.has(id) || near.has(id));
  return { nodes: nodes.map((node) => ({ ...node, found: found.has(node.id) })), edges };
}

function missingOf({ kind, name }: Reference, { models }: DefinitionSet): string | null {
  const names = kind === "model" ? (models.find((model) => model.name === name)?.missing_names ?? []) : [];
  return names.length === 0 ? null : `needs ${listed(names)}`;
}

function aboutOf({ kind, name }: Reference, { agents, prompts, models, tools, sources }: DefinitionSet): string {
  switch (kind) {
    case "agent":
      return agents.find((one) => one.name === name)?.type === "dual_ai" ? "two sides" : "one side";
    case "prompt":
      return prompts.find((one) => one.name === name)?.requiredSchema == null ? "system prompt" : "takes arguments";
    case "tool":
      return tools.find((one) => one.name === name)?.remote === true ? "at the client" : "on the server";
    case "source":
      return sources.find((one) => one.name === name)?.kind === "mcp" ? "MCP server" : "OpenAPI document";
    case "skill":
      return "text for a kind of task";
    case "model":
      return models.find((one) => one.name === name)?.provider ?? "";
  }
}
