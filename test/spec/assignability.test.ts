// The published types and ours fit each other, both ways, without casts. What is proved here is proved by the type
// checker: each rule is a file it accepts, beside one that shows it would have refused.

import { readFileSync } from "node:fs";

import { describe, expect, it, vi } from "vitest";

import { typeCheck } from "./typed-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const shapes = readFileSync(new URL("published-shapes.ts", import.meta.url), "utf8");

/** Both directions for a type of theirs and one of ours. */
const bothWays = (theirs: string, ours: string): string => `
import type * as Published from "./published-shapes.ts";
import type * as Ours from "threadhold";
import type { z } from "zod";

type Schema = z.ZodObject<{ q: z.ZodString; n: z.ZodOptional<z.ZodNumber> }>;
declare const theirs: Published.${theirs};
declare const ours: Ours.${ours};
export const one: Ours.${ours} = theirs;
export const other: Published.${theirs} = ours;
`;

const check = (pairs: Record<string, string>): Promise<string[]> =>
  typeCheck({
    "published-shapes.ts": shapes,
    ...Object.fromEntries(
      Object.entries(pairs).map(([theirs, ours], index) => [`pair-${index}.ts`, bothWays(theirs, ours)]),
    ),
  });

describe("published types", () => {
  it("SPEC1 definitions typed by the document are ours, and ours are the document's", async () => {
    expect(
      await check({
        'PublishedModel<"fast">': 'ModelDefinition<"fast">',
        'PublishedPrompt<"p", Schema>': 'PromptDefinition<"p", Schema>',
        PublishedPrompt: "PromptDefinition",
        PublishedSubprompt: "SubpromptConfig",
        'PublishedAgent<"a">': 'AgentDefinition<"a">',
        PublishedSide: "SideConfig",
        "PublishedTool<Schema>": "ToolDefinition<Ours.ThreadState, Schema>",
        PublishedBareTool: "ToolDefinition",
        PublishedExecution: "ExecutionState",
      }),
    ).toEqual([]);
  });

  it("SPEC2 what is wider than the document is a type of its own that the document's fits into", async () => {
    const wider = await check({ PublishedModel: "AnyModelDefinition", PublishedBareTool: "RemoteToolDefinition" });
    expect(wider.map((line) => line.replace(/\(\d+,\d+\)/, ""))).toEqual([
      expect.stringMatching(/^pair-0\.ts: error TS2375: Type 'AnyModelDefinition' is not assignable/),
      expect.stringMatching(/^pair-1\.ts: error TS2322: Type 'PublishedBareTool' is not assignable/),
      expect.stringMatching(/^pair-1\.ts: error TS2322: Type 'RemoteToolDefinition.*' is not assignable/),
    ]);
  });

  it("SPEC3 every kind of definition fits the registry", async () => {
    expect(
      await typeCheck({
        "all.ts": `import { defineAgent, defineHook, defineModel, definePrompt, defineTool } from "threadhold";
import type { AnyAgentDefinition, AnyModelDefinition, AnyPromptDefinition, AnyToolDefinition, HookFunction } from "threadhold";
import { z } from "zod";
const schema = z.object({ q: z.string() });
export const models: AnyModelDefinition[] = [
  defineModel({ name: "a", provider: "openai", model: "x" }),
  defineModel({ name: "b", provider: "azure", model: "x", script: [{ text: ["a", "b"], toolCalls: [] }] }),
  defineModel({ name: "c", provider: "test", model: "x", script: (request) => ({ text: request.lastUser }) }),
];
export const prompts: AnyPromptDefinition[] = [
  definePrompt({ name: "a", toolDescription: "", prompt: "", model: "m", tools: ["x", { name: "y" }] }),
  definePrompt({ name: "b", toolDescription: "", prompt: [], model: "m", requiredSchema: schema }),
];
export const agents: AnyAgentDefinition[] = [defineAgent({ name: "a", sideA: { prompt: "p", strategy: "react" } })];
export const tools: AnyToolDefinition[] = [
  defineTool("args", schema, async (state, args, call) => {
    call.progress(args.q);
    return { status: "success", result: state.threadId + call.id };
  }, { idempotent: true, reconcile: async (id, args) => ({ status: "success", result: id + args.q }) }),
  defineTool("stream", schema, async function* (_state, args) {
    yield { type: "delta", delta: args.q };
    yield { type: "progress", data: 1 };
    yield { type: "complete", output: args, details: 2 };
  }),
  defineTool("stream, result last", schema, async function* (_state, args) {
    yield { type: "delta", delta: args.q };
    return { status: "success", result: args.q };
  }),
  defineTool("bare", async (state) => ({ status: "success", result: state.agentId })),
  defineTool("bare with call", async (state, call) => ({ status: "success", result: state.agentId + call.attempt })),
  defineTool("bare with options", null, async () => ({ status: "success" }), { timeoutMs: 1 }),
  defineTool("remote"),
  defineTool("remote with arguments", schema),
  defineTool("remote with options", schema, undefined, { deadlineMs: 1, needsApproval: (args) => args.q === "" }),
];
export const hooks: HookFunction[] = [defineHook("filter_messages", async (_state, messages) => messages.slice(-1))];
`,
      }),
    ).toEqual([]);
  });

  it("SPEC4 refuses an argument type function calling has not, an unknown hook, provider and result", async () => {
    const refused = await typeCheck({
      "a.ts": `import { defineTool } from "threadhold";
import { z } from "zod";
export default defineTool("x", z.object({ when: z.date() }), async () => ({ status: "success" as const }));`,
      "b.ts": `import { defineHook } from "threadhold";\nexport default defineHook("filter_mesages", async () => []);`,
      "c.ts": `import { defineModel } from "threadhold";\nexport default defineModel({ name: "a", provider: "opnai", model: "x" });`,
      "d.ts": `import { defineTool } from "threadhold";\nexport default defineTool("x", async () => ({ status: "done" }));`,
    });
    expect(refused.map((line) => line.split(":").slice(0, 2).join(":"))).toEqual([
      "a.ts(3,32): error TS2769",
      "b.ts(2,27): error TS2345",
      "c.ts(2,41): error TS2820",
      "d.ts(2,32): error TS2769",
    ]);
  });

  it("SPEC13 takes schemas kept in constants, with unions and string formats, at their exact types", async () => {
    expect(
      await typeCheck({
        "a.ts": `import { definePrompt, defineTool, type AnyToolDefinition } from "threadhold";
import { z } from "zod";
const schema = z.object({
  either: z.union([z.string(), z.number()]),
  region: z.union([z.literal("eu"), z.literal("us")]).nullable(),
  mail: z.email(),
  count: z.int(),
  strict: z.array(z.strictObject({ a: z.enum(["x", "y"]) })).optional(),
});
export const tool: AnyToolDefinition = defineTool("x", schema, async (_state, args) => {
  const region: "eu" | "us" | null = args.region;
  const either: string | number = args.either;
  const letters: ("x" | "y")[] = args.strict?.map(({ a }) => a) ?? [];
  return { status: "success", result: [region, either, ...letters, args.mail, args.count].join() };
});
export default definePrompt({ name: "p", toolDescription: "", prompt: "", model: "m", requiredSchema: schema });`,
      }),
    ).toEqual([]);
  });
});
