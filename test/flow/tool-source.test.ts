// Tool sources: the order of the list, patterns, and a source that fails, in a run of the real loop.

import { describe, expect, it } from "vitest";

import { noFaults } from "#core/ports/faults.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import { StepBuilder } from "#flow/request/step-builder.ts";
import { sectionSources } from "#flow/request/system-prompt.ts";
import { Definitions } from "#flow/setup/project-definitions.ts";
import { mainParticipant } from "#flow/strategy/participant.ts";
import { resolveTools } from "#flow/tool-source/tool-source.ts";
import type { ToolSource } from "#flow/tool-source/tool-source.ts";
import { defineModel, definePrompt } from "#spec/index.ts";
import type { AnyPromptDefinition } from "#spec/index.ts";

import { Harness } from "../core/support/harness.ts";
import { ManualClock } from "../core/support/manual-clock.ts";
import { calls, says } from "../core/support/scripted-model.ts";
import { ok, tool } from "../core/support/tool-box.ts";
import { hookRunner } from "./support/hooks.ts";

/** A source of tools that return the source's title. */
function source(title: string, ...names: string[]): ToolSource {
  return {
    title,
    names: () => Promise.resolve(names),
    runner: (name) => (names.includes(name) ? Promise.resolve(toolOf(title, name)) : null),
  };
}

function toolOf(title: string, name: string): ToolRunner {
  return tool(name, () => Promise.resolve(ok(title)));
}

/** A source whose server does not answer. It has every name that begins with `far__`. */
function brokenSource(): ToolSource {
  const broken = () => Promise.reject(new Error("connection refused"));
  return {
    title: "The far server",
    names: broken,
    runner: (name) => (name.startsWith("far__") ? broken() : null),
  };
}

async function titlesOf(entries: readonly string[], sources: readonly ToolSource[]): Promise<string[]> {
  const { tools } = await resolveTools(entries, sources);
  const titles = [...tools].map(async ([name, runner]) => {
    for await (const piece of runner.run({}, { id: "c", attempt: 1, signal: new AbortController().signal })) {
      if (piece.type === "result") return `${name} of ${String(piece.result.result)}`;
    }
    return name;
  });
  return Promise.all(titles);
}

describe("the list of sources", () => {
  it("A tool name in a prompt is resolved by the first source that has it, and left out if no source has it", async () => {
    const sources = [source("one", "a", "b"), source("two", "b", "c")];
    expect(await titlesOf(["c", "b", "gone", "a"], sources)).toEqual(["c of two", "b of one", "a of one"]);
  });

  it("A pattern of tool names selects every tool whose name has the prefix, in the order of sources and names", async () => {
    const sources = [source("one", "far__b", "near"), source("two", "far__a", "far__b", "farther")];
    expect(await titlesOf(["near", "far__*"], sources)).toEqual(["near of one", "far__b of one", "far__a of two"]);
  });

  it("If the source of a tool name fails, the name is not looked up in later sources", async () => {
    const { tools, failures } = await resolveTools(
      ["far__a", "near"],
      [brokenSource(), source("two", "far__a", "near")],
    );
    expect([...tools.keys()]).toEqual(["near"]);
    expect(failures).toEqual([
      { entry: "far__a", warning: 'The far server failed, so "far__a" is not available: connection refused' },
    ]);
  });
});

describe("a source that fails in a run", () => {
  const model = defineModel({ name: "main", provider: "test", model: "m" });
  const prompt = definePrompt({
    name: "main",
    toolDescription: "",
    prompt: "Be kind.",
    model: "main",
    tools: ["far__search", "near"],
  }) as AnyPromptDefinition;
  const definitions = new Definitions({
    models: { main: async () => model },
    prompts: { main: async () => prompt },
    agents: { main: async () => ({ name: "main", sideA: { prompt: "main" } }) },
    tools: {},
    hooks: [],
    routes: [],
    hash: "",
  });

  const stepsOver =
    (sources: readonly ToolSource[]) =>
    (own: ConstructorParameters<typeof StepBuilder>[0]["own"]): StepBuilder =>
      new StepBuilder(
        {
          definitions,
          hooks: hookRunner().runner,
          faults: noFaults,
          tools: () => sources,
          sections: sectionSources(definitions, () => Promise.resolve([])),
          own,
          projections: new Map<string, never>(),
          clock: new ManualClock(),
        },
        mainParticipant(
          { definitions },
          {
            agent: () => definitions.agent("main"),
            side: () => "a",
            formOf: () => Promise.resolve(null),
            earlier: () => [],
          },
        ),
      );

  it("A run continues when a tool source fails: the model gets a note, the step's row a warning, and a call a clear error", async () => {
    const requests: { system: string; tools: string[] }[] = [];
    const harness = new Harness({
      steps: stepsOver([source("near", "near"), brokenSource()]),
      script: ({ system, tools }, number) => {
        requests.push({ system, tools: tools.map(({ name }) => name) });
        return number === 0 ? calls("c", ["near", {}], ["far__search", {}]) : says("Done");
      },
    });
    expect(await harness.finish()).toMatchObject({ status: "completed" });
    const note = "These tools are not available now, so do not call them: far__search.";
    expect(requests[0]).toEqual({ system: `Be kind.\n\n${note}`, tools: ["near"] });
    expect(harness.results.map(({ result }) => result?.result ?? result?.error)).toEqual([
      "near",
      'The tool "far__search" is not available now.',
    ]);
    const warning = 'The far server failed, so "far__search" is not available: connection refused';
    expect(harness.journal.logs.map(({ data }) => data["warnings"])).toEqual([[warning], [warning]]);
  });

  it("The outcome of a call is unknown if a crash interrupted the call and the source of its tool fails afterwards, and the run continues", async () => {
    const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["far__search", {}]) : says("Done"));
    const before = new Harness({ steps: stepsOver([source("far", "far__search")]), script, killAt: "tool.run" });
    expect(await before.drive()).toBeNull();
    const harness = new Harness({
      steps: stepsOver([brokenSource()]),
      script: () => says("Done"),
      rows: before.rows(),
    });
    expect(await harness.finish()).toMatchObject({ status: "completed" });
    expect(harness.results[0]?.result?.error).toContain("Whether it took effect is unknown");
    expect(harness.journal.logs[0]?.data["warnings"]).toHaveLength(1);
  });
});
