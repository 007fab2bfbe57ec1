// Thinking that a server requires in earlier answers, or accepts without encryption: which requests contain it is data about the model and its
// server.

import { expect, it } from "vitest";

import type { ModelMessage } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { answerTo } from "./answer-to.ts";
import { callAndResult, message, model, user, type Provider } from "./ask-model.ts";
import { stepAfter, storedAnswer } from "./at-address.ts";
import { added, call, completed, created, done, stream } from "./responses-events.ts";
import { capture, type Sent } from "./sent-request.ts";

const tools = [{ name: "get_time", description: "Time", parameters: { type: "object", properties: {} } }];
const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
const thought = { type: "response.reasoning_text.delta", item_id: "rs_1", output_index: 0, content_index: 0 };

/** The messages after an answer that thinks in a text and calls a tool, at the server of the tests. */
async function afterPlainThinking(...texts: string[]): Promise<ModelMessage[]> {
  const item = { ...call, id: "fc_1" };
  const content = texts.map((text) => ({ type: "reasoning_text", text }));
  const sent = stream(
    created,
    added(0, reasoning),
    ...texts.map((delta) => ({ ...thought, delta })),
    done(0, { ...reasoning, content }),
    added(1, { ...item, arguments: "" }),
    done(1, item),
    completed(),
  );
  const { parts } = await answerTo("openai-responses", sent);
  return stepAfter(storedAnswer(parts));
}

async function sentBody(
  provider: Provider,
  messages: ModelMessage[],
  definition: Partial<AnyModelDefinition>,
): Promise<Sent> {
  return (await capture(provider, { tools, messages }, definition)).body;
}

const itemsOf = async (definition: Partial<AnyModelDefinition>, messages: ModelMessage[]) =>
  [
    ...((await sentBody("openai-responses", messages, { baseUrl: "https://provider.example/v1", ...definition }))[
      "input"
    ] ?? []),
  ].filter((item) => JSON.stringify(item["type"]) === '"reasoning"');

it.for(["openai/gpt-oss-120b", "gpt-oss:20b", "qwen3-32b", "MiniMaxAI/MiniMax-M2", "deepseek-v4-pro"])(
  "Thinking that the server of %s did not encrypt is sent back as its text in the next step",
  async (id) => {
    const messages = await afterPlainThinking("I need ", "the time.");
    expect(await itemsOf({ model: id }, messages)).toEqual([
      { ...reasoning, content: [{ type: "reasoning_text", text: "I need the time." }] },
    ]);
  },
);

it("Thinking without encryption is not sent to other models and other servers, and a definition overrides that", async () => {
  const messages = await afterPlainThinking("I need the time.");
  expect(await itemsOf({ model: "gpt-5.4" }, messages)).toEqual([]);
  expect(await itemsOf({ model: "my-model" }, messages)).toEqual([]);
  expect(await itemsOf({ model: "gpt-oss-120b", baseUrl: "https://other.example/v1" }, messages)).toEqual([]);
  expect(await itemsOf({ model: "gpt-oss-120b", compat: { plainThinking: false } }, messages)).toEqual([]);
  expect(await itemsOf({ model: "my-qwen3", compat: { plainThinking: true } }, messages)).toHaveLength(1);
});

it("Thinking without a visible character is not sent back to open models", async () => {
  expect(await itemsOf({ model: "gpt-oss-120b" }, await afterPlainThinking("\u200b"))).toEqual([]);
});

const plain = message("assistant", { parts: [{ type: "text", text: "Sunny." }] });
const earlier = [user("?"), ...callAndResult("toolu_01AAAA", "get_time"), plain, user("Thanks")];

/** The fields with thinking of the assistant messages in a request to OpenRouter. */
async function thoughtsOf(definition: Partial<AnyModelDefinition>, messages: ModelMessage[] = earlier) {
  const body = await sentBody("openrouter", messages, definition);
  return [...(body["messages"] ?? [])]
    .filter((entry) => JSON.stringify(entry["role"]) === '"assistant"')
    .map((entry) => entry["reasoning"] ?? entry["reasoning_content"]);
}

it.for([
  ["deepseek/deepseek-v4-flash", ["", ""]],
  ["deepseek/deepseek-v3.2", ["", ""]],
  ["moonshotai/kimi-k2.5", [" ", undefined]],
  ["deepseek/deepseek-r1-0528", [undefined, undefined]],
  ["deepseek/deepseek-chat-v3-0324", [undefined, undefined]],
  ["anthropic/claude-sonnet-5", [undefined, undefined]],
  ["meta-llama/llama-4", [undefined, undefined]],
] as const)(
  "Earlier answers are sent to %s at OpenRouter with the thinking that the model requires",
  async ([id, expected]) => {
    expect(await thoughtsOf({ model: id })).toEqual(expected);
    expect(await thoughtsOf({ model: id, compat: { requiresThinking: "all", emptyThinking: "-" } })).toEqual([
      "-",
      "-",
    ]);
    expect(await thoughtsOf({ model: id, compat: { requiresThinking: "none" } })).toEqual([undefined, undefined]);
  },
);

it.for([
  ["without details", {}],
  [
    "with details",
    { reasoning_details: [{ type: "reasoning.text", text: "I need the time.", format: "unknown", index: 0 }] },
  ],
] as const)("Thinking of DeepSeek that OpenRouter sends %s is sent back in the next step", async ([, details]) => {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "g", model: "deepseek/deepseek-v4-pro", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const tool_calls = [{ index: 0, id: "c1", type: "function", function: { name: "get_time", arguments: "{}" } }];
  const sent =
    chunk({ role: "assistant", content: "", reasoning: "I need the time.", ...details }) +
    chunk({ tool_calls }) +
    chunk({}, "tool_calls");
  const { parts } = await answerTo("openrouter", `${sent}data: [DONE]\n\n`);
  const next = stepAfter(storedAnswer(parts));
  expect(await thoughtsOf({ model: "deepseek/deepseek-v4-pro" }, next)).toEqual(["I need the time."]);
});

it.for([
  ["deepseek-v4-pro", ""],
  ["deepseek-chat", ""],
  ["deepseek-reasoner", ""],
  ["deepseek-v3p2", ""],
  ["deepseek-v3-2-251201", ""],
  ["deepseek-v3-250324", undefined],
  ["deepseek-ai/DeepSeek-R1", undefined],
  ["deepseek-ai/DeepSeek-V3-0324", undefined],
  ["deepseek-v3.1", undefined],
  ["deepseek-coder-v2", undefined],
  ["deepseek-ocr", undefined],
] as const)(
  "A server of %s at an unknown host gets reasoning_content only if the model requires it",
  async ([id, expected]) => {
    const { messages = [] } = (await sentBody("openai", earlier, {
      ...model("openai", id),
      baseUrl: "https://gateway.example/v1",
    })) as { messages?: Iterable<Sent> };
    const answers = [...messages].filter((entry) => JSON.stringify(entry["role"]) === '"assistant"');
    expect(answers.map((entry) => entry["reasoning_content"])).toEqual([expected, expected]);
  },
);
