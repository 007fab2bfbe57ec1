// The published types and ours are assignable to each other without casts. The type checker proves it: each rule has a file that it
// accepts, and one that it refuses.

import { describe, expect, it, vi } from "vitest";

import { definitionFunctions, publishedFiles, publishedTypes } from "./published.ts";
import { typeCheck } from "./typed-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const heading = `import type * as Ours from "threadhold";
import type { z } from "zod";
${Object.keys(publishedFiles)
  .map((file) => `import type * as ${file.replace(/^.*\/|\.ts$/g, "")} from "./${file}";`)
  .join("\n")}
type Schema = z.ZodObject<{ q: z.ZodString; n: z.ZodOptional<z.ZodNumber> }>;
/** What a type of theirs has and ours has not. */
type Missing<Theirs, Mine> = [Exclude<keyof Theirs, keyof Mine>] extends [never] ? true : Exclude<keyof Theirs, keyof Mine>;
/** Every field that is theirs, as if all were given. */
type Filled<Theirs, Mine> = { [K in keyof Theirs]-?: K extends keyof Mine ? Exclude<Mine[K], undefined> : never };
`;

/** Both directions for a type of theirs and one of ours, and for all of its fields. */
function bothWays(theirs: string, ours: string): string {
  return `export const test = (theirs: ${theirs}, ours: ${ours}, all: Filled<${theirs}, ${theirs}>, own: Filled<${theirs}, ${ours}>) => {
  const one: ${ours} = theirs;
  const other: ${theirs} = ours;
  const fields: Missing<${theirs}, ${ours}> = true;
  const each: typeof own = all;
  const back: typeof all = own;
  return [one, other, fields, each, back];
};`;
}

/** One direction is enough for a function: ours is used in place of the document's. */
function standsFor(theirs: string, ours: string): string {
  return `export const stands = (ours: typeof ${ours}): ${theirs} => ours;`;
}

const check = (sources: readonly string[], options: Record<string, boolean> = {}): Promise<string[]> =>
  typeCheck(
    {
      ...publishedFiles,
      ...Object.fromEntries(sources.map((source, index) => [`pair-${index}.ts`, heading + source])),
    },
    options,
  );

describe("published types", () => {
  it.for([true, false])(
    "Each type of Standard Agents and the same type of threadhold are assignable to each other, field by field, with exactOptionalPropertyTypes %s",
    async (exactOptionalPropertyTypes) => {
      const pairs = publishedTypes.map(([module, type]) => bothWays(`${module}.${type}`, `Ours.${type}`));
      const functions = definitionFunctions.map(([module, type, name]) =>
        standsFor(`${module}.${type}`, `Ours.${name}`),
      );
      expect(await check([...pairs, ...functions], { exactOptionalPropertyTypes })).toEqual([]);
    },
  );

  it("Each generic type of Standard Agents and the same type of threadhold are assignable to each other with the same type arguments", async () => {
    const pairs = [
      ["models.ModelDefinition<'fast'>", "Ours.ModelDefinition<'fast'>"],
      ["prompts.PromptDefinition<'p', Schema>", "Ours.PromptDefinition<'p', Schema>"],
      ["prompts.SubpromptConfig<'p'>", "Ours.SubpromptConfig<'p'>"],
      ["agents.AgentDefinition<'a', 'p', 't'>", "Ours.AgentDefinition<'a', 'p', 't'>"],
      ["agents.SideConfig<'p', 't'>", "Ours.SideConfig<'p', 't'>"],
      ["tools.Tool<threads.ThreadState, Schema>", "Ours.Tool<Ours.ThreadState, Schema>"],
      ["tools.ToolDefinition<threads.ThreadState, Schema>", "Ours.ToolDefinition<Ours.ThreadState, Schema>"],
      ["tools.ToolArgsNode", "Ours.ToolArgsNode"],
      ["tools.ToolArgs", "Ours.ToolArgs"],
      ["hooks.HookDefinition<'filter_messages', string>", "Ours.HookDefinition<'filter_messages', string>"],
    ] as const;
    const lines = pairs.map(
      ([theirs, ours]) =>
        `export const test = (theirs: ${theirs}, ours: ${ours}): [${ours}, ${theirs}] => [theirs, ours];`,
    );
    expect(await check(lines)).toEqual([]);
  });

  it("The check of assignability fails for a field that is missing or of another type", async () => {
    const refused = await check([
      bothWays("{ a: string; b?: number }", "{ a: string }"),
      bothWays("{ a?: string }", "{ a?: string | null }"),
    ]);
    expect(refused.map((line) => line.split("(")[0])).toEqual(expect.arrayContaining(["pair-0.ts", "pair-1.ts"]));
  });

  it("A wider type, such as AnyModelDefinition, has a separate name, and the type of Standard Agents is assignable to it", async () => {
    const refused = await check([
      bothWays("models.ModelDefinition", "Ours.AnyModelDefinition"),
      bothWays("tools.ToolDefinition", "Ours.RemoteToolDefinition"),
      "export const fits = (theirs: models.ModelDefinition): Ours.AnyModelDefinition => theirs;",
      "export const tool = (theirs: tools.ToolDefinition): Ours.AnyToolDefinition => theirs;",
    ]);
    expect(new Set(refused.map((line) => line.split("(")[0]))).toEqual(new Set(["pair-0.ts", "pair-1.ts"]));
  });

  it("The type PromptInput is the parsed type of a prompt's schema, and `never` if the prompt has no schema", async () => {
    const source = `import { definePrompt, type PromptInput } from "threadhold";
import { z } from "zod";
const fields = { name: "p", toolDescription: "", prompt: "", model: "m" };
const given = definePrompt({ ...fields, requiredSchema: z.object({ q: z.string(), n: z.number().default(1) }) });
const bare = definePrompt(fields);
export const right: PromptInput<typeof given> = { q: "", n: 2 };
export const wrong: PromptInput<typeof given> = { q: 1, n: 2 };
export const lacking: PromptInput<typeof given> = { q: "" };
export const none: PromptInput<typeof bare> = { q: "" };
`;
    expect((await typeCheck({ "a.ts": source })).map((line) => line.split(":")[0])).toEqual([
      "a.ts(7,51)",
      "a.ts(8,14)",
      "a.ts(9,14)",
    ]);
  });

  it("The type PromptData is the parsed type of a prompt's structure, and `never` if the prompt has no structure", async () => {
    const source = `import { definePrompt, type PromptData } from "threadhold";
import { z } from "zod";
const fields = { name: "p", toolDescription: "", prompt: "", model: "m" };
const given = definePrompt({ ...fields, structure: z.object({ q: z.string(), n: z.number().default(1) }) });
const bare = definePrompt(fields);
export const right: PromptData<typeof given> = { q: "", n: 2 };
export const wrong: PromptData<typeof given> = { q: 1, n: 2 };
export const none: PromptData<typeof bare> = { q: "" };
`;
    expect((await typeCheck({ "a.ts": source })).map((line) => line.split(":")[0])).toEqual([
      "a.ts(7,50)",
      "a.ts(8,14)",
    ]);
  });

  it("Definitions of every form are assignable to the types of models, prompts, agents, tools and hooks", async () => {
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
  definePrompt({ name: "c", toolDescription: "", prompt: [], model: "m", structure: schema }),
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

  it("The types refuse an argument type that function calling lacks, an unknown hook, provider and result", async () => {
    const refused = await typeCheck({
      "a.ts": `import { defineTool } from "threadhold";
import { z } from "zod";
export default defineTool("x", z.object({ when: z.date() }), async () => ({ status: "success" as const }));`,
      "b.ts": `import { defineHook } from "threadhold";\nexport default defineHook("filter_mesages", async () => []);`,
      "c.ts": `import { defineModel } from "threadhold";\nexport default defineModel({ name: "a", provider: "opnai", model: "x" });`,
      "d.ts": `import { defineTool } from "threadhold";\nexport default defineTool("x", async () => new Map());`,
    });
    expect(refused.map((line) => line.split(":").slice(0, 2).join(":"))).toEqual([
      "a.ts(3,32): error TS2379",
      "b.ts(2,27): error TS2345",
      "c.ts(2,41): error TS2820",
      "d.ts(2,32): error TS2345",
    ]);
  });

  it("A zod schema in a constant keeps its exact type in `defineTool` and `definePrompt`, also with unions and string formats", async () => {
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
