// The relations between definitions, which the pages read from the API's responses.

import { describe, expect, it } from "vitest";

import { definitionPath, nameIn } from "#playground/agents/definition.ts";
import type { DefinitionSet } from "#playground/agents/definition.ts";
import { findingsOf, placeOf } from "#playground/agents/findings.ts";
import type { Finding } from "#playground/agents/findings.ts";
import { definitionGraph, filteredGraph } from "#playground/agents/graph/definition-graph.ts";
import type { DefinitionGraph } from "#playground/agents/graph/definition-graph.ts";
import { placeGraph } from "#playground/agents/graph/graph-layout.ts";
import { nextNode } from "#playground/agents/graph/next-node.ts";
import { missingKeys } from "#playground/agents/readiness.ts";
import { linksOf } from "#playground/agents/relations.ts";

import { agentOf, manyDefinitions, modelOf, promptOf, toolOf } from "../support/ui/definition-set.ts";

const shop: DefinitionSet = {
  agents: [
    agentOf("desk", { sideA: "desk_rules", endSessionTool: "close" }),
    agentOf("billing", { sideA: "billing_rules" }),
    agentOf("review", { sideA: "critic", sideB: "writer" }),
  ],
  prompts: [
    promptOf("desk_rules", {
      model: "large",
      tools: ["look_up", "billing", "review", { name: "researcher", includeToolCalls: false }, "gone"],
      prompt: [
        { type: "text", content: "Be kind." },
        { type: "include", prompt: "voice" },
      ],
    }),
    ...["billing_rules", "critic", "writer", "researcher", "voice"].map((name) => promptOf(name, { model: "small" })),
  ],
  models: [modelOf("large", { fallbacks: ["small"], missing: "LARGE_KEY" }), modelOf("small")],
  tools: [toolOf("look_up"), toolOf("close"), { ...toolOf("researcher"), kind: "prompt" }],
  sources: [],
  skills: [],
  strategies: [],
  hooks: [],
  filters: [],
  routes: [],
};

function graphOf(set: DefinitionSet, findings: readonly Finding[] = []): DefinitionGraph {
  return definitionGraph({ set, links: linksOf(set), findings });
}

describe("definitions", () => {
  it("In the definitions graph, a prompt has one edge to each source whose tools it lists, and one to each skill that it uses", () => {
    const file = null;
    const set: DefinitionSet = {
      ...shop,
      agents: [],
      models: [modelOf("small")],
      tools: [toolOf("docs__own")],
      sources: [{ name: "documents", kind: "mcp", prefix: "docs", file: "agents/mcp/documents.ts" }],
      skills: ["reports", "letters"].map((name) => ({ name, file, description: name })),
      prompts: [
        {
          ...promptOf("one", { model: "small", tools: ["docs__*", "docs__search", "docs__own"] }),
          skills: ["reports"],
        },
        { ...promptOf("two", { model: "small", tools: ["other__*"] }), skills: true },
      ],
    };
    const links = linksOf(set).map(({ from, to, relation }) => `${from.name} ${relation} ${to.kind}:${to.name}`);
    expect(links).toEqual([
      "one model model:small",
      "one skill skill:reports",
      "one source source:documents",
      "one tool tool:docs__own",
      "two model model:small",
      "two skill skill:reports",
      "two skill skill:letters",
      "two tool tool:other__*",
    ]);
    const finding = { severity: "error", code: "bad_url", message: "no address", line: 1, column: 1 } as const;
    const found = { ...finding, file: "agents/mcp/documents.ts" } as Finding;
    expect(findingsOf({ kind: "source", name: "documents" }, [found])).toEqual([found]);
    expect(findingsOf({ kind: "tool", name: "documents" }, [found])).toEqual([]);
  });

  it("The definitions graph has an edge for each definition that another one names, with the kind of the relation", () => {
    const links = linksOf(shop).map(({ from, to, relation }) => `${from.name} ${relation} ${to.kind}:${to.name}`);
    expect(links.toSorted()).toEqual(
      [
        "desk prompt prompt:desk_rules",
        "desk end_tool tool:close",
        "billing prompt prompt:billing_rules",
        "review prompt_a prompt:critic",
        "review prompt_b prompt:writer",
        "desk_rules model model:large",
        "desk_rules include prompt:voice",
        "desk_rules tool tool:look_up",
        "desk_rules handoff agent:billing",
        "desk_rules sub_agent agent:review",
        "desk_rules sub_prompt prompt:researcher",
        "desk_rules tool tool:gone",
        ...["billing_rules", "critic", "writer", "researcher", "voice"].map((name) => `${name} model model:small`),
        "large fallback model:small",
      ].toSorted(),
    );
  });

  it("The definitions graph marks names without a definition and models without a key, and shows a prompt that is used as a tool once", () => {
    const { nodes, edges } = graphOf(shop);
    expect(nodes.find(({ name }) => name === "gone")).toMatchObject({ kind: "tool", trouble: "not defined" });
    expect(nodes.filter(({ name }) => name === "researcher").map(({ kind }) => kind)).toEqual(["prompt"]);
    expect(nodes.find(({ id }) => id === "model:large")).toMatchObject({ trouble: "needs LARGE_KEY" });
    expect(edges.find(({ to }) => to === "agent:billing")?.label).toBe("handoff");
  });

  it("A filter of the definitions graph keeps the definitions whose name matches, and their neighbours", () => {
    const { nodes } = filteredGraph(graphOf(shop), " LOOK ");
    expect(nodes.map(({ name, found }) => [name, found])).toEqual([
      ["desk_rules", false],
      ["look_up", true],
    ]);
    expect(filteredGraph(graphOf(shop), "nothing").nodes).toEqual([]);
  });

  it("An agent page names the missing API keys of its own models, and not those of agents that it may call", () => {
    const missing = (name: string) => missingKeys({ kind: "agent", name }, shop, linksOf(shop));
    expect(missing("desk")).toEqual([{ model: "large", variable: "LARGE_KEY" }]);
    expect(missing("billing")).toEqual([]);
    const lacking = { ...modelOf("large"), ready: false, missing: "A_KEY", missing_names: ["A_KEY", "B_TOKEN"] };
    const set = { ...shop, models: [lacking, modelOf("small")] };
    expect(missingKeys({ kind: "agent", name: "desk" }, set, linksOf(set)).map(({ variable }) => variable)).toEqual([
      "A_KEY",
      "B_TOKEN",
    ]);
    const [node] = graphOf(set).nodes.filter(({ kind, name }) => kind === "model" && name === "large");
    expect(node?.trouble).toBe("needs A_KEY and B_TOKEN");
  });

  it("A finding of the build is shown at the definition of its file, and at the definitions that it names", () => {
    const found: Finding[] = [
      { severity: "error", code: "x", message: "no such tool", file: "agents/prompts/shop/desk_rules.ts", line: 3 },
      { severity: "warning", code: "y", message: 'the prompt "voice" is empty', file: "agents/models/large.ts" },
    ];
    const of = (kind: "prompt" | "model" | "agent", name: string) => findingsOf({ kind, name }, found).map(placeOf);
    expect(of("prompt", "desk_rules")).toEqual(["agents/prompts/shop/desk_rules.ts:3"]);
    expect(of("prompt", "voice")).toEqual(["agents/models/large.ts"]);
    expect(of("model", "large")).toEqual(["agents/models/large.ts"]);
    expect(of("agent", "desk_rules")).toEqual([]);
    expect(graphOf(shop, found).nodes.find(({ id }) => id === "prompt:voice")?.trouble).toBe("1 finding");
  });

  it("The address of a definition's page can contain any name", () => {
    for (const name of ["plain", "a/b", "what? #1 & more", "café au lait"]) {
      const part = definitionPath({ kind: "prompt", name }).slice("/prompts/".length);
      expect(part).not.toMatch(/[/?#]/);
      expect(nameIn(decodeURI(part))).toBe(name);
    }
  });
});

describe("the layout of the graph", () => {
  it.each([
    ["the shop", shop],
    ["200 definitions", manyDefinitions()],
  ])("Nodes of the graph %s do not cover each other, and a definition is left of those that it uses", (_name, set) => {
    const { nodes, edges, width, height, form } = placeGraph(graphOf(set), 1000);
    expect(nodes.length).toBe(graphOf(set).nodes.length);
    for (const [at, one] of nodes.entries()) {
      expect(one.x).toBeGreaterThanOrEqual(-0.01);
      expect(one.x + form.width).toBeLessThanOrEqual(width + 0.01);
      expect(one.y + form.height).toBeLessThanOrEqual(height + 0.01);
      const covered = nodes
        .slice(at + 1)
        .filter(({ x, y }) => Math.abs(x - one.x) < form.width && Math.abs(y - one.y) < form.height);
      expect(covered).toEqual([]);
    }
    const xOf = new Map(nodes.map(({ id, x }) => [id, x]));
    const right = edges.filter(({ from, to }) => (xOf.get(from) ?? 0) < (xOf.get(to) ?? 0));
    expect(right.length).toBe(edges.length);
    expect(edges.every(({ line }) => /^M[^N]*$/.test(line) && !line.includes("NaN"))).toBe(true);
  });

  it("The definitions graph places its unconnected parts in as many columns as fit into its width", () => {
    const names = Array.from({ length: 12 }, (_, at) => `desk_${at}`);
    const agents = names.map((name) => agentOf(name, { sideA: `${name}_rules` }));
    const prompts = names.map((name) => promptOf(`${name}_rules`, { model: `${name}_model` }));
    const graph = graphOf({
      ...shop,
      agents,
      prompts,
      models: names.map((name) => modelOf(`${name}_model`)),
      tools: [],
    });
    const placed = [700, 1500, 3000].map((width) => placeGraph(graph, width));
    const columns = placed.map(
      ({ nodes }) => new Set(nodes.filter(({ kind }) => kind === "agent").map(({ x }) => x)).size,
    );
    expect(columns).toEqual([1, 2, 4]);
    for (const [at, { width }] of placed.entries()) expect(width).toBeLessThanOrEqual([700, 1500, 3000][at] ?? 0);
  });

  it.each([5, 60])(
    "The graph of %i definitions has the width of a page of 1280 pixels, and space for names of 20 characters",
    (count) => {
      const set = manyDefinitions(count);
      const long = <T extends { name: string }>(list: readonly T[]): T[] =>
        list.map((one) => ({ ...one, name: one.name.padEnd(20, "_of_the_whole_shop") }));
      const graph = graphOf(set);
      const nodes = long(graph.nodes);
      const space = 940;
      const placed = placeGraph({ ...graph, nodes }, space);
      expect(placed.nodes.length).toBeGreaterThanOrEqual(count);
      expect(placed.width).toBeLessThanOrEqual(space);
      expect(placed.width).toBeGreaterThan(space * 0.8);
      // 0.6 of 12 pixels for each character, in one line or in two.
      expect(placed.form.width * (placed.form.twoLines ? 2 : 1)).toBeGreaterThan(20 * 7.2);
    },
  );

  it("Arrow keys select the nodes at the ends of a node's edges, and the nodes above and below it", () => {
    const placed = placeGraph(graphOf(shop), 1000);
    expect(nextNode(placed, "agent:desk", "ArrowRight")).toMatch(/^(prompt:desk_rules|tool:close)$/);
    expect(nextNode(placed, "prompt:desk_rules", "ArrowLeft")).toBe("agent:desk");
    expect(nextNode(placed, "agent:desk", "ArrowLeft")).toBeNull();
    const heightOf = (id: string | null) => placed.nodes.find((node) => node.id === id)?.y;
    for (const { id, y } of placed.nodes) {
      const below = nextNode(placed, id, "ArrowDown");
      const above = nextNode(placed, id, "ArrowUp");
      expect(heightOf(below) ?? Infinity).toBeGreaterThan(y);
      expect(heightOf(above) ?? -Infinity).toBeLessThan(y);
      if (below !== null) expect(nextNode(placed, below, "ArrowUp")).not.toBeNull();
    }
  });
});
