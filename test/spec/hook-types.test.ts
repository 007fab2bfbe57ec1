// The types that hooks receive: messages, updates, calls and results, where the Standard Agents document has records of unknown values. The
// type checker runs once for all of them.

import { expect, it, vi } from "vitest";

import { typeCheck } from "./typed-project.ts";

// Starts the type checker; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const heading = `import { defineHook } from "threadhold";
import type { HookMessage } from "threadhold";
`;

const right = `
export const hooks = [
  defineHook("before_create_message", async (state, message) => ({ ...message, content: message.content?.replace("a", state.threadId) ?? null })),
  defineHook("before_create_message", async (_state, message) => message),
  defineHook("before_create_message", async (_state, message) => ({ content: message.content?.trim() ?? "" })),
  defineHook("before_create_message", async (_state, message: Record<string, unknown>) => ({ ...message, content: "x" })),
  defineHook("before_create_message", async (_state, message: HookMessage) => message),
  defineHook("after_create_message", async (_state, message) => void [message.content?.length, message.metadata?.["x"]]),
  defineHook("before_update_message", async (_state, id, updates) => ({ ...updates, content: (updates.content ?? id).trim() })),
  defineHook("after_update_message", async (_state, message) => void message.content?.trim()),
  defineHook("before_store_tool_result", async (_state, call, result) => ({ ...result, result: call.function.name + (result.result ?? "") })),
  defineHook("after_tool_call_success", async (_state, call, result) => (call.id === "" ? null : result)),
  defineHook("filter_messages", async (_state, messages) => messages.filter(({ content }) => content?.trim() !== "")),
  defineHook("transform_context", async (_state, messages) => messages.filter(({ role }) => role !== "tool")),
  defineHook("after_turn", async (_state, { messages }) => void messages.at(-1)?.content?.trim()),
];
`;

const wrong: [source: string, error: string][] = [
  [
    `defineHook("before_create_message", async (_state, message) => ({ content: message.contents }))`,
    "Did you mean 'content'?",
  ],
  [
    `defineHook("after_create_message", async (_state, message) => void message.content.trim())`,
    "'message.content' is possibly 'null'",
  ],
  [
    `defineHook("before_update_message", async (_state, _id, updates) => ({ content: updates.text }))`,
    "Property 'text' does not exist",
  ],
  [
    `defineHook("before_store_tool_result", async (_state, call, result) => ({ ...result, result: call.name }))`,
    "Property 'name' does not exist",
  ],
  [`defineHook("before_create_message", async (_state, message) => message.content)`, "is not assignable to"],
];

it("The types of hooks give each hook its message, update, call or result, and refuse a field that it does not have", async () => {
  const lines = wrong.map(([source], index) => `export const wrong${index} = ${source};\n`);
  const files = Object.fromEntries(lines.map((line, index) => [`wrong-${index}.ts`, heading + line]));
  const found = await typeCheck({ "right.ts": heading + right, ...files });
  expect(found.filter((line) => line.startsWith("right.ts"))).toEqual([]);
  for (const [index, [, error]] of wrong.entries()) {
    expect(found.filter((line) => line.startsWith(`wrong-${index}.ts`))).toEqual([expect.stringContaining(error)]);
  }
});
