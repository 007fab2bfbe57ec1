// The examples of docs/guide/context.md: a build accepts them, and requests follow them as the page describes.

import { readFileSync } from "node:fs";

import { transform } from "esbuild";
import { expect, it, vi } from "vitest";

import type { StepPlan } from "#core/ports/step-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { defineModel } from "#spec/index.ts";
import type { PromptDefinition } from "#spec/index.ts";

import { project } from "../flow/support/step-project.ts";
import { messageRecord } from "../store/records.ts";
import { compileWith } from "./temporary-project.ts";

// Each test starts a compiler; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const page = readFileSync(new URL("../../docs/guide/context.md", import.meta.url), "utf8");
const [, file = "", support = ""] = /^```ts example\n\/\/ (\S+)\n([\s\S]*?)^```$/m.exec(page) ?? [];
/** The prompt of the page with each of its values of `context`. */
const prompts = [
  support,
  ...[...page.matchAll(/^```ts\n(context: .*)\n```$/gm)].map(([, line = ""]) =>
    support.replace(/ context: .*/, ` ${line}`),
  ),
];

/** The prompt that a file defines. */
async function promptOf(text: string): Promise<PromptDefinition> {
  const { code } = await transform(text, { loader: "ts" });
  const alone = code.replace(/import .*\n/, "const definePrompt = (prompt) => prompt;\n");
  const module = (await import(`data:text/javascript,${encodeURIComponent(alone)}`)) as { default: PromptDefinition };
  return module.default;
}

const small = defineModel({ name: "small", provider: "test", model: "small" });

/** The messages of 80 turns, each with a tool result of 100 lines. */
function conversation(): MessageRecord[] {
  const lines = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
  return Array.from({ length: 80 }, (_, turn) => {
    const [first, loop] = [turn * 4 + 1, { run_id: "run", side: "a", step: turn } as const];
    const call = { type: "tool_call" as const, id: `c${turn}`, name: "look", arguments: {} };
    const result = { status: "success" as const, result: lines };
    return [
      messageRecord(first, { parts: [{ type: "text", text: `Question ${turn} ${"word ".repeat(60)}` }] }),
      messageRecord(first + 1, { ...loop, role: "assistant", parts: [call] }),
      messageRecord(first + 2, { ...loop, role: "tool", name: "look", tool_call_id: call.id, result, parts: [] }),
      messageRecord(first + 3, { ...loop, role: "assistant", parts: [{ type: "text", text: `Answer ${turn}` }] }),
    ];
  }).flat();
}

async function planOf(text: string): Promise<StepPlan> {
  const { model: _, ...prompt } = await promptOf(text);
  const own = [...conversation(), messageRecord(900)];
  const { builder } = project({ prompt, model: { contextWindow: 25_000 }, own, earlier: [], models: { small } });
  const plan = await builder.plan({});
  if ("problem" in plan) throw new Error(plan.problem.message);
  return plan;
}

const texts = ({ request }: StepPlan) =>
  request.messages.map(
    ({ parts, result }) => result?.result ?? parts.map((part) => ("text" in part ? part.text : "")).join(""),
  );

it("Each example in the guide on context compiles without a finding", async () => {
  expect(prompts).toHaveLength(3);
  expect(new Set(prompts)).toHaveLength(3);
  const model = (name: string) => `import { defineModel } from "threadhold";
export default defineModel({ name: "${name}", provider: "test", model: "${name}", script: () => ({ text: "Yes." }) });`;
  for (const prompt of prompts) {
    const models = { "agents/models/fast.ts": model("fast"), "agents/models/small.ts": model("small") };
    expect((await compileWith({ [file]: prompt, ...models })).diagnostics).toEqual([]);
  }
});

it("The first example in the guide on context sets a budget of 20,000 tokens, shortens older tool results to 30 lines, and leaves the newest 20 messages complete", async () => {
  const plan = await planOf(prompts[0] ?? "");
  expect(plan.compaction).toMatchObject({ budget: 20_000, level: "tools" });
  expect(plan.compaction?.tokens).toBeLessThanOrEqual(15_000);
  const lines = plan.request.messages.flatMap((message, at) =>
    message.role === "tool" ? [[at, message.result?.result?.split("\n").length]] : [],
  );
  const recent = plan.request.messages.length - 20;
  expect(lines.every(([at = 0, count]) => count === (at < recent ? 30 : 100))).toBe(true);
});

it("The example with `summarize` in the guide on context requests a summary of the dropped messages from the model that it names", async () => {
  const { summary } = await planOf(prompts[1] ?? "");
  expect(summary?.model.name).toBe("small");
  expect(JSON.stringify(summary?.request.messages)).toContain("Question 1 word");
});

it("The example with a summary function in the guide on context sends the function's text in place of the dropped messages", async () => {
  const plan = await planOf(prompts[2] ?? "");
  expect(
    texts(plan).filter((text) => /^\[\.\.\. .* Summary .*\n\d+ messages about an order\.$/s.test(text)),
  ).toHaveLength(1);
});
