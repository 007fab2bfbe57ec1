// The type errors of a wrong tool: one error, at the value that is wrong, whose text names the right shape. The type checker runs once for
// all of them.

import { expect, it, vi } from "vitest";

import { typeCheck } from "./typed-project.ts";

// Starts the type checker; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const returns = "A tool returns a string, a JSON value, or { status:";
const result = 'A result is { status: \\"success\\" | \\"error\\", result?: string, error?: string';
const yields = 'A tool yields { type: \\"delta\\", delta: string }';
const schema = "The arguments are a z.object of strings, numbers, booleans";
const noSchema = "does not exist on type 'CallOfToolWithoutSchema'";

/** Each wrong tool, the text at which the error begins, and a part of the error's text. */
const wrong: [name: string, source: string, at: string, text: string][] = [
  ["a Map", `defineTool("x", async () => new Map())`, "async", returns],
  ["a set in a field", `defineTool("x", args, async () => ({ a: { b: [new Set([1])] } }))`, "async", returns],
  ["a function", `defineTool("x", args, async (_state, { q }) => () => q)`, "async", returns],
  ["a bigint", `defineTool("x", args, async () => 3n)`, "async", returns],
  ["a symbol", `defineTool("x", args, () => Symbol("x"))`, "() =>", returns],
  ["a response", `defineTool("x", args, async () => fetch("https://example.com"))`, "async", returns],
  ["bytes", `defineTool("x", null, async () => new Uint8Array(2), { timeoutMs: 3 })`, "async", returns],
  ["an instance with methods", `defineTool("x", async () => new Clock())`, "async", returns],
  ["a sync generator", `defineTool("x", function* () { yield "a"; })`, "function", returns],
  ["an error", `defineTool("x", async () => new Error("no"))`, "async", returns],
  [
    "a result whose text is an object",
    `defineTool("x", async () => ({ status: "success", result: { hits: 3 } }))`,
    "async",
    result,
  ],
  [
    "a result with a misspelt field",
    `defineTool("x", async () => ({ status: "success", reslt: "3" }))`,
    "async",
    result,
  ],
  [
    "a result with a field of its own",
    `defineTool("x", args, async () => ({ status: "success", orders: [1] }))`,
    "async",
    result,
  ],
  ["a stream of texts", `defineTool("x", args, async function* () { yield "text"; })`, "async", yields],
  [
    "a stream of misspelt deltas",
    `defineTool("x", async function* () { yield { type: "delta", dleta: "x" }; })`,
    "async",
    yields,
  ],
  [
    "a misspelt option",
    `defineTool("x", args, async () => "x", { needApproval: true })`,
    "needApproval",
    "Did you mean to write 'needsApproval'",
  ],
  [
    "a misspelt option of a remote tool",
    `defineTool("x", args, undefined, { deadlineMS: 3 })`,
    "deadlineMS",
    "Did you mean to write 'deadlineMs'",
  ],
  [
    "a misspelt option without a schema",
    `defineTool("x", null, async () => "x", { timeoutMS: 3 })`,
    "timeoutMS",
    "Did you mean to write 'timeoutMs'",
  ],
  [
    "an option of remote tools",
    `defineTool("x", args, async () => "x", { resultSchema: args })`,
    "resultSchema",
    "does not exist in type 'ToolOptions<",
  ],
  [
    "options after the function",
    `defineTool("x", async (state) => state.threadId, { timeoutMs: 3 })`,
    "async",
    "With options it is defineTool(description, schema or null, tool, options)",
  ],
  ["arguments without a schema", `defineTool("x", async (_state, { city }) => city)`, "city", noSchema],
  ["an argument without a schema", `defineTool("x", async (_state, args) => args.city)`, "city)", noSchema],
  ["three parameters without a schema", `defineTool("x", async (_state, args, _call) => args.city)`, "city)", noSchema],
  [
    "a list of fields in place of a schema",
    `defineTool("x", { city: z.string() }, async (_state, args) => args.city.trim())`,
    "{ city",
    schema,
  ],
  [
    "a JSON Schema in place of a schema",
    `defineTool("x", { type: "object", properties: {} }, async (_state, args) => args.city)`,
    "{ type",
    schema,
  ],
  [
    "a schema that is no object",
    `defineTool("x", z.string(), async (_state, args) => args.length)`,
    "z.string",
    schema,
  ],
  [
    "a schema with a date",
    `defineTool("x", z.object({ when: z.date() }), async (_state, args) => args.when.getTime())`,
    "z.object",
    schema,
  ],
];

const right = `
export const tools: AnyToolDefinition[] = [
  defineTool("text", async () => "text"),
  defineTool("at once", () => "text"),
  defineTool("number", args, async () => 3),
  defineTool("null", async () => null),
  defineTool("nothing", async () => {}),
  defineTool("interface", async () => order),
  defineTool("list", args, async () => [order]),
  defineTool("tree", async () => tree),
  defineTool("union", async () => either),
  defineTool("record", async () => null as never as Record<string, unknown>),
  defineTool("date", async () => new Date()),
  defineTool("unknown", async () => (await fetch("https://example.com")).json()),
  defineTool("another status", async () => ({ status: "shipped", total: 1 })),
  defineTool("result or text", args, async (_state, { q }) => (q === "" ? { status: "error", error: "No q." } : q)),
  defineTool("result or object", args, async (_state, { q }) => {
    if (q === "") return { status: "error", error: "No q." };
    return { q, rows: [1] };
  }),
  defineTool("result in a constant", async () => constant),
  defineTool("of another tool", async (state) => state.invokeTool("x", {})),
  defineTool("throws", async () => { throw new Error("no"); }),
  defineTool("text at the end", args, async function* (_state, { q }) { yield { type: "delta", delta: q }; return q; }),
  defineTool("result at the end", async function* () { yield { type: "progress", data: 1 }; return { status: "success", result: "x" }; }),
  defineTool("output", async function* () { yield { type: "complete", output: [1], details: 2 }; }),
  defineTool("options", args, async (state: ThreadState, { q }) => q + state.threadId, { needsApproval: ({ q }) => q === "" }),
];
export const remote: RemoteToolDefinition<ThreadState, typeof args> = defineTool("x", args);
export const bare: ToolDefinition<Mine, null> = defineTool("x", async (state: Mine) => state.threadId);
export const stream: ToolDefinition<ThreadState, typeof args> = defineTool("x", args, (): ToolStream => null as never);
`;

const heading = `import { defineTool } from "threadhold";
import type { AnyToolDefinition, RemoteToolDefinition, ThreadState, ToolDefinition, ToolStream } from "threadhold";
import { z } from "zod";
const args = z.object({ q: z.string() });
class Clock { at = 1; read() { return this.at; } }
interface Order { id: string; at: Date; items?: { sku: string }[] }
interface Tree { name: string; children: Tree[] }
interface Mine { threadId: string }
declare const order: Order;
declare const tree: Tree;
declare const either: { ok: true; rows: readonly string[] } | { ok: false };
const constant = { status: "success", result: "x" } as const;
`;

let findings: Promise<string[]> | undefined;

/** The type errors, with the whole texts of types. */
function found(): Promise<string[]> {
  const lines = wrong.map(([, source], index) => `export const wrong${index} = ${source};\n`);
  return (findings ??= typeCheck(
    {
      "right.ts": heading + right,
      ...Object.fromEntries(lines.map((line, index) => [`wrong-${index}.ts`, heading + line])),
    },
    { noErrorTruncation: true },
  ));
}

it("The types accept a tool that returns a text, a JSON value, nothing, a result or a stream", async () => {
  expect((await found()).filter((line) => line.startsWith("right.ts"))).toEqual([]);
});

it.for(wrong.map((row, index) => [row[0], index] as const))(
  "TOOL6 A tool with %s has one type error, at the value that is wrong, whose text names the right shape",
  async ([, index]) => {
    const [, source, at, text] = wrong[index] ?? expect.fail();
    const errors = (await found()).filter((line) => line.startsWith(`wrong-${index}.ts(`));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(text);
    const [line, column] =
      /\((\d+),(\d+)\)/
        .exec(errors[0] ?? "")
        ?.slice(1)
        .map(Number) ?? [];
    expect(line).toBe(heading.split("\n").length);
    const statement = `export const wrong${index} = ${source};`;
    expect(statement.slice((column ?? 0) - 1)).toMatch(new RegExp(`^${at.replace(/[{}()=>]/g, "\\$&")}`));
  },
);
