// Findings about names that lead to no definition, about includes, and about what agents require.

import { describe, expect, it, vi } from "vitest";

import { compileWith, findingsOf, onlyFinding } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const prompt = (name: string, fields: string): string => `export default {
  name: "${name}",
  toolDescription: "Other",
  model: "fast",
  ${fields}
};`;

const including = (name: string, target: string): string =>
  prompt(name, `prompt: [{ type: "text", content: "x" }, { type: "include", prompt: "${target}" }],`);

const agent = (fields: string): string => `export default {
  name: "night",
  ${fields}
};`;

describe("references", () => {
  it("The build reports an unknown model and an unknown fallback", async () => {
    expect(
      await onlyFinding({ "agents/prompts/p.ts": prompt("p", `prompt: "", `).replace('"fast"', '"fsat"') }),
    ).toMatchObject({
      severity: "error",
      code: "unknown_model",
      file: "agents/prompts/p.ts",
      line: 4,
      column: 10,
      message: 'unknown model "fsat"',
      suggestion: "fast",
    });
    expect(
      await onlyFinding({
        "agents/models/slow.ts": `export default { name: "slow", provider: "test", model: "x",\n  fallbacks: ["fast", "fas"] };`,
      }),
    ).toMatchObject({ code: "unknown_model", file: "agents/models/slow.ts", line: 2, column: 23, suggestion: "fast" });
  });

  it("The build reports an unknown name in a prompt's tools, and accepts names of tools, prompts and agents", async () => {
    expect(
      await onlyFinding({
        "agents/prompts/p.ts": prompt("p", `prompt: "",\n  tools: [\n    "search_docs",\n    "serch_docs",\n  ],`),
      }),
    ).toMatchObject({
      severity: "error",
      code: "unknown_tool",
      file: "agents/prompts/p.ts",
      line: 8,
      column: 5,
      message: 'unknown tool "serch_docs"',
      suggestion: "search_docs",
      source: '    "serch_docs",',
    });
    const fine = await compileWith({
      "agents/prompts/p.ts": prompt(
        "p",
        `prompt: "", tools: ["search_docs", "support", { name: "support" }, "night"],`,
      ),
      "agents/agents/night.ts": agent(`sideA: { prompt: "p" }, toolDescription: "N",`),
    });
    expect(fine.diagnostics).toEqual([]);
  });

  it("The build reports a pattern of tool names if no source of tools has its prefix", async () => {
    expect(
      await onlyFinding({ "agents/prompts/p.ts": prompt("p", `prompt: "", tools: ["search__*"],`) }),
    ).toMatchObject({
      severity: "error",
      code: "unknown_tool",
      line: 5,
      message: '"search__*" stands for all tools with the prefix "search__", and no source of tools has that prefix',
    });
  });

  it("The build reports a SubpromptConfig whose name is no prompt, and states what has that name instead", async () => {
    expect(
      await onlyFinding({ "agents/prompts/p.ts": prompt("p", `prompt: "", tools: [{ name: "search_docs" }],`) }),
    ).toMatchObject({
      code: "unknown_prompt",
      line: 5,
      column: 31,
      notes: ['"search_docs" is a tool: agents/tools/search_docs.ts'],
    });
  });

  it("The build reports an agent's unknown prompt, stop tool and end session tool", async () => {
    const { diagnostics } = await compileWith({
      "agents/agents/night.ts": agent(`sideA: {
    prompt: "suport",
    stopTool: "serch_docs",
    stopToolResponseProperty: "x",
    endSessionTool: "nothing_like_it",
  },`),
    });
    expect(diagnostics).toMatchObject([
      { code: "unknown_prompt", line: 4, column: 13, suggestion: "support" },
      { code: "unknown_tool", line: 5, column: 15, suggestion: "search_docs" },
      { code: "unknown_tool", line: 7, column: 21 },
    ]);
    expect(diagnostics).toHaveLength(3);
    expect(diagnostics[2]?.suggestion).toBeUndefined();
  });

  it("The build reports a tool's unknown dependency", async () => {
    expect(
      await onlyFinding({
        "agents/tools/late.ts": `import { defineTool } from "threadhold";
export default defineTool("Late", null, async () => ({ status: "success" }), { dependsOn: ["search_doc"] });`,
      }),
    ).toMatchObject({
      code: "unknown_tool",
      file: "agents/tools/late.ts",
      line: 2,
      column: 92,
      suggestion: "search_docs",
    });
  });
});

describe("includes", () => {
  it("The build reports an include of an unknown prompt", async () => {
    expect(await onlyFinding({ "agents/prompts/p.ts": including("p", "suport") })).toMatchObject({
      severity: "error",
      code: "unknown_prompt",
      file: "agents/prompts/p.ts",
      line: 5,
      column: 71,
      suggestion: "support",
    });
  });

  it("The build reports a cycle of includes once, with its path, and accepts a prompt that is included on two paths", async () => {
    expect(
      await onlyFinding({
        "agents/prompts/p1.ts": including("p1", "p2"),
        "agents/prompts/p2.ts": including("p2", "p3"),
        "agents/prompts/p3.ts": including("p3", "p1"),
      }),
    ).toMatchObject({
      severity: "error",
      code: "include_cycle",
      file: "agents/prompts/p3.ts",
      line: 5,
      message: "prompts include each other: p1 → p2 → p3 → p1",
    });
    expect(await onlyFinding({ "agents/prompts/p.ts": including("p", "p") })).toMatchObject({ code: "include_cycle" });
    const diamond = await compileWith({
      "agents/prompts/a.ts": prompt(
        "a",
        `prompt: [{ type: "include", prompt: "b" }, { type: "include", prompt: "c" }],`,
      ),
      "agents/prompts/b.ts": including("b", "support"),
      "agents/prompts/c.ts": including("c", "support"),
    });
    expect(diamond.diagnostics).toEqual([]);
  });
});

describe("agents", () => {
  it("The build reports dual_ai without sideB", async () => {
    expect(
      await onlyFinding({ "agents/agents/night.ts": agent(`type: "dual_ai",\n  sideA: { prompt: "support" },`) }),
    ).toMatchObject({ severity: "error", code: "missing_side_b", file: "agents/agents/night.ts", line: 3, column: 9 });
  });

  it("The build reports a side with a stopTool and without a stopToolResponseProperty", async () => {
    expect(
      await onlyFinding({ "agents/agents/night.ts": agent(`sideA: { prompt: "support", stopTool: "search_docs" },`) }),
    ).toMatchObject({ severity: "error", code: "missing_stop_property", line: 3, column: 41 });
  });

  it("The build reports exposeAsTool without toolDescription", async () => {
    expect(
      await onlyFinding({
        "agents/agents/night.ts": agent(
          `sideA: { prompt: "support" },\n  description: "Nights",\n  exposeAsTool: true,`,
        ),
      }),
    ).toMatchObject({ severity: "error", code: "missing_tool_description", line: 5, column: 17 });
  });

  it("The build refuses exposeAsTool for an agent with the name of a tool that continues threads of MCP clients", async () => {
    const file = "agents/agents/thread_stop.ts";
    const named = (exposed: string) =>
      `export default { name: "thread_stop", sideA: { prompt: "support" }, toolDescription: "Nights"${exposed} };`;
    expect(await onlyFinding({ [file]: named(", exposeAsTool: true") })).toMatchObject({
      severity: "error",
      code: "duplicate_name",
      file,
    });
    expect(await findingsOf("duplicate_name", { [file]: named("") })).toEqual([]);
  });

  it("An agent in a prompt's tools is a warning if it has a description but no toolDescription, and an error if it has neither", async () => {
    const offer = { "agents/prompts/p.ts": prompt("p", `prompt: "", tools: ["night"],`) };
    const described = agent(`sideA: { prompt: "support" }, description: "Nights",`);
    expect(await onlyFinding({ ...offer, "agents/agents/night.ts": described })).toMatchObject({
      severity: "warning",
      code: "missing_tool_description",
      file: "agents/prompts/p.ts",
      line: 5,
      column: 23,
    });
    expect(
      await onlyFinding({ ...offer, "agents/agents/night.ts": agent(`sideA: { prompt: "support" },`) }),
    ).toMatchObject({ severity: "error", code: "missing_tool_description", file: "agents/prompts/p.ts" });
  });

  it("The build warns about an end session tool that its side's prompt does not offer", async () => {
    expect(
      await findingsOf("unreachable_tool", {
        "agents/tools/finish.ts": `export default ["Ends", null, () => {}];`,
        "agents/agents/night.ts": agent(`sideA: { prompt: "support", endSessionTool: "finish" },`),
      }),
    ).toMatchObject([{ severity: "warning", file: "agents/agents/night.ts", line: 3, column: 47 }]);
  });
});
