// Findings about fields, schemas and names.

import { describe, expect, it, vi } from "vitest";

import { providers as usable } from "#models/provider/providers.ts";

import { compileWith, findingsOf, onlyFinding } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const prompt = (fields: string): string => `import { z } from "zod";
export default {
  name: "other",
  toolDescription: "Other",
  prompt: "Hm.",
  model: "fast",
  ${fields}
};`;

const agent = (fields: string): string => `export default {
  name: "night",
  sideA: { prompt: "support" },
  ${fields}
};`;

describe("fields", () => {
  it("The build warns about an unknown field at the position of its name, and suggests the closest known field", async () => {
    expect(await onlyFinding({ "agents/prompts/other.ts": prompt("includeChats: true,") })).toMatchObject({
      severity: "warning",
      code: "unknown_field",
      file: "agents/prompts/other.ts",
      line: 7,
      column: 3,
      suggestion: "includeChat",
    });
    expect(
      await onlyFinding({ "agents/prompts/other.ts": prompt(`tools: [{ name: "support", includeErors: false }],`) }),
    ).toMatchObject({ code: "unknown_field", line: 7, column: 30, suggestion: "includeErrors" });
    expect(
      await onlyFinding({ "agents/agents/night.ts": agent("sideB: { prompt: 'support', labl: 'B' },") }),
    ).toMatchObject({ severity: "warning", line: 4, column: 31, suggestion: "label" });
  });

  it("The build accepts a maxSteps of 3 for a prompt in another prompt's tools, and refuses a maxSteps of 0", async () => {
    const offered = (maxSteps: number) => ({
      "agents/prompts/other.ts": prompt(`tools: [{ name: "support", maxSteps: ${maxSteps} }],`),
    });
    expect((await compileWith(offered(3))).diagnostics).toEqual([]);
    expect(await onlyFinding(offered(0))).toMatchObject({ code: "invalid_field", line: 7 });
  });

  it("The build reports a missing field and a field with an invalid value", async () => {
    expect(
      await onlyFinding({ "agents/models/slow.ts": `export default { name: "slow", provider: "test" };` }),
    ).toMatchObject({ severity: "error", code: "invalid_field", line: 1, message: 'model without "model"' });
    expect(
      await onlyFinding({ "agents/models/slow.ts": `export default { name: "slow", model: "x", provider: "opnai" };` }),
    ).toMatchObject({
      code: "unknown_provider",
      line: 1,
      column: 54,
      suggestion: "openai",
      message: `unknown provider "opnai": the providers are ${usable.map(({ name }) => name).join(", ")}`,
    });
    expect(await onlyFinding({ "agents/agents/night.ts": agent("maxSessionTurns: -1,") })).toMatchObject({
      code: "invalid_field",
      line: 4,
      column: 20,
    });
    expect(
      await onlyFinding({
        "agents/models/slow.ts": `export default { name: "slow", model: "x", provider: "openai-compatible", preset: "olama" };`,
      }),
    ).toMatchObject({ code: "invalid_field", line: 1, suggestion: "ollama" });
    expect(
      await onlyFinding({
        "agents/models/slow.ts": `export default { name: "slow", model: "x", provider: "openai-compatible" };`,
      }),
    ).toMatchObject({ code: "invalid_field", message: expect.stringContaining("needs the address") as string });
    // A broken definition is not checked further, and references to it are not reported.
    expect(
      await onlyFinding({
        "agents/agents/night.ts": `export default { name: "night", type: "dual_ai", toolDescription: "N",\n  sideA: "support" };`,
        "agents/prompts/other.ts": prompt(`tools: ["night"],`),
      }),
    ).toMatchObject({ code: "invalid_field", file: "agents/agents/night.ts", line: 2, column: 10 });
  });

  it("The build warns about a misspelt field of `compat`, and refuses a value that the field does not have", async () => {
    const model = (compat: string) => ({
      "agents/models/slow.ts": `export default { name: "slow", model: "x", provider: "openai", compat: { ${compat} } };`,
    });
    expect(await onlyFinding(model("requireThinking: 'all'"))).toMatchObject({
      code: "unknown_field",
      suggestion: "requiresThinking",
    });
    for (const wrong of [
      "requiresThinking: 'always'",
      "schemaRules: 'gemini'",
      "schemaRules: true",
      "plainThinking: 'yes'",
    ]) {
      expect(await onlyFinding(model(wrong))).toMatchObject({ severity: "error", code: "invalid_field" });
    }
    expect(await findingsOf("invalid_field", model("schemaRules: 'google'"))).toEqual([]);
  });

  it("The build reports a value of `api` that the model's provider does not support", async () => {
    const model = (provider: string, api: string) => ({
      "agents/models/slow.ts": `export default { name: "slow", model: "x", provider: "${provider}", api: "${api}" };`,
    });
    for (const fitting of [
      model("openai", "chat"),
      model("openai", "responses"),
      model("openai-responses", "responses"),
    ]) {
      expect(await findingsOf("invalid_field", fitting)).toEqual([]);
    }
    for (const wrong of [model("anthropic", "chat"), model("openai-responses", "chat"), model("openai", "soap")]) {
      expect(await onlyFinding(wrong)).toMatchObject({ severity: "error", code: "invalid_field", line: 1 });
    }
  });

  it("LIMIT20 The build reports invalid limits, of a run and of a thread", async () => {
    const limits = "limits: { steps: 5, turns: 2, tokens: 9, durationMs: 1000, cost: 0.5, onLimit: 'rest' },";
    const whole = "threadLimits: { tokens: 1000000, cost: 5 },";
    expect(await findingsOf("invalid_field", { "agents/agents/night.ts": agent(`${limits} ${whole}`) })).toEqual([]);
    for (const wrong of [
      "limits: { steps: 0 },",
      "limits: { tokens: 1.5 },",
      "limits: { cost: -1 },",
      "limits: { onLimit: 'stop' },",
      "threadLimits: { turns: -2 },",
    ]) {
      expect(await onlyFinding({ "agents/agents/night.ts": agent(wrong) })).toMatchObject({ code: "invalid_field" });
    }
    expect(await onlyFinding({ "agents/agents/night.ts": agent("threadLimits: { onLimit: 'end' },") })).toMatchObject({
      code: "unknown_field",
    });
  });

  it("The build reports a zod type that function calling cannot express, with its path in the schema", async () => {
    const findings = await findingsOf("invalid_schema", {
      "agents/prompts/other.ts": prompt(
        `requiredSchema: z.object({
    when: z.date(),
    list: z.array(z.object({ big: z.bigint() })).optional(),
    kind: z.enum({ a: 1 }),
    map: z.record(z.enum(["a"]), z.string()),
  }),`,
      ),
    });
    expect(findings.map(({ line, column, message }) => [line, column, message])).toEqual([
      [
        8,
        11,
        'argument "when": z.date() is not allowed in a tool\'s schema: use z.string() or z.iso.datetime(), and make the Date in the tool',
      ],
      [
        9,
        35,
        'argument "list[].big": z.bigint() is not allowed in a tool\'s schema: use z.number().int(), or z.string() for numbers above 2^53',
      ],
      [10, 11, 'argument "kind": an enum may hold only strings'],
      [11, 10, 'argument "map": a record\'s keys must be z.string()'],
    ]);
  });

  it("The build reports a result schema that no form can show, and a result schema of a tool with a function", async () => {
    const tool = (schema: string, run = "undefined"): Record<string, string> => ({
      "agents/tools/odd.ts": `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool("Odd", z.object({}), ${run}, {
  resultSchema: ${schema},
});
`,
    });
    expect(
      await findingsOf("invalid_schema", tool("z.object({ straße: z.string(), people: z.number().int() })")),
    ).toEqual([]);
    const wrong = async (schema: string) => {
      const { code, line, message } = await onlyFinding(tool(schema));
      return [code, line, message];
    };
    expect(await wrong("z.object({ when: z.date() })")).toEqual([
      "invalid_schema",
      5,
      expect.stringContaining('result "when": z.date() is not allowed in a tool\'s schema: use z.string()'),
    ]);
    expect(await wrong("z.string()")).toEqual([
      "invalid_schema",
      5,
      "results must be a z.object({ … }), not z.string()",
    ]);
    expect(await onlyFinding(tool("z.object({})", 'async () => ({ status: "success" })'))).toMatchObject({
      code: "invalid_field",
      line: 5,
      message: expect.stringContaining("for tools that a client answers"),
    });
  });

  it("The build reports a schema of tool arguments that is no object, contains itself or has more than seven levels", async () => {
    const withSchema = (schema: string): Record<string, string> => ({
      "agents/tools/odd.ts": `import { defineTool } from "threadhold";
import { z } from "zod";
const Node: z.ZodType = z.object({ get next() { return Node.optional(); } });
let deep: z.ZodType = z.string();
for (let level = 0; level < 8; level++) deep = z.array(deep);
export default defineTool("Odd", ${schema} as never, async () => ({ status: "success" }));`,
    });
    const at = { code: "invalid_schema", file: "agents/tools/odd.ts", line: 6 };
    expect(await onlyFinding(withSchema("z.string()"))).toMatchObject({
      ...at,
      column: 34,
      message: "arguments must be a z.object({ … }), not z.string()",
    });
    expect(await onlyFinding(withSchema("Node"))).toMatchObject({
      ...at,
      line: expect.any(Number),
      message: expect.stringContaining("contains itself"),
    });
    expect(await onlyFinding(withSchema("z.object({ deep })"))).toMatchObject({
      ...at,
      message: expect.stringContaining("more than 7 levels"),
    });
  });

  it("The build accepts every zod type that Standard Agents allows", async () => {
    const { diagnostics, project } = await compileWith({
      "agents/tools/wide.ts": `import { defineTool } from "threadhold";
import { z } from "zod";
const leaf = z.string().min(1).describe("x");
export default defineTool("Wide", z.object({
  a: leaf, b: z.number().int(), c: z.boolean(), d: z.null(), e: z.literal("x"), f: z.enum(["a", "b"]),
  g: leaf.optional(), h: leaf.nullable(), i: leaf.default("x"), j: z.array(leaf), k: z.object({ l: leaf }),
  m: z.record(z.string(), leaf), n: z.union([leaf, z.number()]), o: z.email(), p: z.strictObject({ q: leaf }),
  r: z.literal(1), s: z.literal(true), t: z.literal(null), u: z.literal(["a", 1, null]), v: leaf.refine((text) => text !== "x"),
}), async () => ({ status: "success" }));`,
    });
    expect(diagnostics).toEqual([]);
    expect(project.tools).toHaveLength(2);
  });

  it("The build warns about an argument's name that Anthropic refuses", async () => {
    const finding = await onlyFinding({
      "agents/tools/odd.ts": `import { defineTool } from "threadhold";
import { z } from "zod";
export default defineTool("Odd", z.object({
  fine_name: z.string(),
  at: z.object({ "zip code": z.string() }),
}), async () => ({ status: "success" }));`,
    });
    expect(finding).toMatchObject({
      severity: "warning",
      code: "invalid_schema",
      line: 5,
      message: expect.stringContaining('argument "at.zip code": Anthropic'),
    });
  });

  it("The build reports a tool without a description, and a tool whose third element is no function", async () => {
    expect(await onlyFinding({ "agents/tools/mute.ts": `export default ["", null, () => {}];` })).toMatchObject({
      code: "invalid_field",
      file: "agents/tools/mute.ts",
      message: expect.stringContaining("description"),
    });
    expect(await onlyFinding({ "agents/tools/odd.ts": `export default ["Odd", null, "run"];` })).toMatchObject({
      code: "invalid_field",
      message: expect.stringContaining("function"),
    });
  });

  const tool = (last: string, before = ""): Record<string, string> => ({
    "agents/tools/flights.ts": `import { defineTool } from "threadhold";
${before}
export default defineTool("Finds", ${last});`,
  });

  it.each([
    [
      "three parameters",
      tool(`async (_s, { from }, call) => { call.progress(1); return { status: "success", result: from }; }`),
      36,
    ],
    ["an argument taken out of the call", tool(`async (_s, { from }) => ({ status: "success", result: from })`), 36],
    [
      "null for a schema",
      tool(`null, async (_s, args, call) => ({ status: "success", result: args.x + call.id })`),
      42,
    ],
    [
      "a function of its own",
      tool(
        "find",
        `async function find(_s: unknown, { from = "x" }: { from: string }) { return { status: "success", result: from }; }`,
      ),
      36,
    ],
  ])(
    "The build reports a tool that has no schema although its function takes arguments: %s",
    async (_what, files, column) => {
      expect(await onlyFinding(files)).toMatchObject({
        severity: "error",
        code: "missing_schema",
        line: 3,
        column,
        suggestion: "defineTool(description, z.object({ … }), async (state, args, call) => …)",
      });
    },
  );

  it("The build accepts a tool without a schema if its function takes at most the state and the call", async () => {
    for (const parameters of ["", "_s", "_s, call", "_s, { id, signal }", "..._all"]) {
      expect((await compileWith(tool(`async (${parameters}) => ({ status: "success" })`))).diagnostics).toEqual([]);
    }
  });

  it("A finding about a call of defineRemoteTool has the line and the column of the invalid field", async () => {
    const remote = (fields: string): Record<string, string> => ({
      "agents/tools/ask.ts": `import { defineRemoteTool } from "threadhold";
import { z } from "zod";
export default defineRemoteTool({
  ${fields}
});`,
    });
    expect(
      (await compileWith(remote(`description: "Asks", args: z.object({ q: z.string() }), deadlineMs: 5,`))).diagnostics,
    ).toEqual([]);
    expect(await onlyFinding(remote(`description: "",`))).toMatchObject({ code: "invalid_field", line: 4, column: 16 });
    expect(await onlyFinding(remote(`description: "Asks", args: z.object({ at: z.date() }),`))).toMatchObject({
      code: "invalid_schema",
      line: 4,
      column: 45,
    });
    expect(await onlyFinding(remote(`description: "Asks", deadline: 5,`))).toMatchObject({
      code: "unknown_field",
      line: 4,
      column: 24,
      suggestion: "deadlineMs",
    });
  });
});

describe("names", () => {
  it("The build reports two definitions of the same kind with the same name", async () => {
    expect(
      await onlyFinding({ "agents/models/zz.ts": `export default { name: "fast", provider: "test", model: "x" };` }),
    ).toMatchObject({
      severity: "error",
      code: "duplicate_name",
      file: "agents/models/zz.ts",
      line: 1,
      column: 24,
      notes: ["the first is agents/models/fast.ts"],
    });
    const tool = `export default ["Again", null, () => {}];`;
    expect(await onlyFinding({ "agents/tools/z/search_docs.ts": tool })).toMatchObject({ code: "duplicate_name" });
  });

  it("The build reports a tool that shares its name with a prompt or an agent", async () => {
    expect(await onlyFinding({ "agents/tools/desk.ts": `export default ["Desk", null, () => {}];` })).toMatchObject({
      severity: "error",
      code: "duplicate_name",
      file: "agents/agents/desk.ts",
      line: 2,
      column: 36,
      notes: ["the other is agents/tools/desk.ts"],
    });
  });

  it("A prompt and an agent with the same name are an error only if a model can call that name", async () => {
    const same = { "agents/prompts/desk.ts": prompt("").replace('"other"', '"desk"') };
    expect((await compileWith(same)).diagnostics).toEqual([]);
    const [called] = await findingsOf("duplicate_name", {
      ...same,
      "agents/prompts/other.ts": prompt(`tools: ["desk"],`),
    });
    expect(called).toMatchObject({ severity: "error", file: "agents/agents/desk.ts" });
  });

  it("The build reports a name that begins with a space, and an agent that a prompt offers as a tool under a name that no provider accepts", async () => {
    expect(await onlyFinding({ "agents/agents/night.ts": agent("").replace('"night"', '" night"') })).toMatchObject({
      code: "bad_name",
      file: "agents/agents/night.ts",
      line: 2,
      column: 9,
    });
    const spaced = { "agents/agents/night.ts": agent(`toolDescription: "N",`).replace('"night"', '"night shift"') };
    expect((await compileWith(spaced)).diagnostics).toEqual([]);
    expect(
      await onlyFinding({ ...spaced, "agents/prompts/other.ts": prompt(`tools: ["night shift"],`) }),
    ).toMatchObject({ severity: "error", code: "bad_name", file: "agents/agents/night.ts", line: 2 });
  });
});
