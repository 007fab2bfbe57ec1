// Threads whose model changes between all protocols and back: the answers of one provider, with its signatures, ids and thinking, are part of the
// requests to the others. The rules of each protocol are applied to every request (`test/support/wire-rules`).

import fc from "fast-check";
import { expect, inject, it } from "vitest";

import type { ModelMessage, ModelPart } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { ask, callAndResult, message, providers, user, type Provider } from "./ask-model.ts";
import { capture } from "./sent-request.ts";

/** The answers that the fixtures of every provider have. */
const cases = ["text", "text-then-call", "thinking", "thinking-then-call", "tool-call", "parallel-calls", "repeated-id"]
  .concat(["blank-then-call", "empty-arguments", "structured", "cited", "multibyte-split"])
  .map((name) => [name, providers] as const);
const more: (readonly [string, readonly Provider[]])[] = [
  ["redacted-thinking", ["anthropic", "vertex-claude", "bedrock"]],
  ["broken-arguments", ["anthropic", "openai", "openai-responses", "openrouter", "azure", "vertex-claude", "bedrock"]],
  ["length-in-call", ["anthropic", "openai", "openai-responses", "openrouter", "bedrock"]],
  ["refusal", ["anthropic", "bedrock"]],
  ["hidden-thinking", ["openai-responses", "azure"]],
  ["unencrypted-thinking", ["openai-responses"]],
  ["reasoning-content", ["openai"]],
  ["reasoning-field", ["openai"]],
  ["same-id-twice", ["openai", "openai-responses", "openrouter"]],
  ["text-and-picture", ["google", "openrouter", "vertex"]],
];

/** The models that a thread switches between. */
const targets: [Provider, Partial<AnyModelDefinition>][] = [
  ["anthropic", { model: "claude-opus-4-7" }],
  ["anthropic", { model: "claude-3-5-haiku-latest" }],
  ["google", { model: "gemini-2.5-flash" }],
  ["google", { model: "gemini-3-pro-preview" }],
  ["openai", { model: "gpt-4o" }],
  ["openai", { model: "deepseek-reasoner", baseUrl: "https://api.deepseek.com/v1" }],
  ["openai", { model: "mistral-large-latest", baseUrl: "https://api.mistral.ai/v1" }],
  ["openai", { model: "kimi-k2-thinking", baseUrl: "https://api.moonshot.ai/v1" }],
  ["openai", { model: "llama-3.3", baseUrl: "http://127.0.0.1:8000/v1", capabilities: { vision: false } }],
  ["openai-responses", { model: "gpt-5.4" }],
  ["openrouter", { model: "anthropic/claude-opus-4.7" }],
  ["openrouter", { model: "google/gemini-3-pro-preview" }],
  ["bedrock", { model: "us.anthropic.claude-opus-4-7" }],
  ["bedrock", { model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0" }],
  ["bedrock", { model: "us.amazon.nova-2-lite-v1:0" }],
  ["bedrock", { model: "mistral.mistral-large-2407-v1:0" }],
  ["bedrock", { model: "openai.gpt-oss-120b-1:0" }],
  ["azure", { model: "gpt-5.4" }],
  ["azure-chat", { model: "grok-4-1-fast" }],
  ["vertex", { model: "gemini-3-pro-preview" }],
  ["vertex-claude", { model: "claude-opus-4-7" }],
];

/** An answer as a thread stores it. */
function storedParts(parts: readonly ModelPart[]): StoredPart[] {
  const stored: StoredPart[] = [];
  const texts = new Map<number, string>();
  const redacted = new Set<number>();
  const data = (part: { provider_data?: StoredPart["provider_data"] }) =>
    part.provider_data === undefined ? {} : { provider_data: part.provider_data };
  for (const part of parts) {
    if (part.type === "thinking_start" && part.redacted === true) redacted.add(part.index);
    if (part.type === "text_delta" || part.type === "thinking_delta") {
      texts.set(part.index, (texts.get(part.index) ?? "") + part.delta);
    }
    if (part.type === "text_end") stored.push({ type: "text", text: texts.get(part.index) ?? "", ...data(part) });
    if (part.type === "thinking_end") {
      const hidden = redacted.has(part.index) ? { redacted: true } : {};
      stored.push({ type: "thinking", thinking: texts.get(part.index) ?? "", ...hidden, ...data(part) });
    }
    if (part.type === "toolcall_end") {
      const { id, name } = part;
      stored.push({ type: "tool_call", id, name, arguments: argumentsOf(part.arguments), ...data(part) });
    }
  }
  return stored;
}

function argumentsOf(text: string) {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

const tools = ["get_weather", "get_time", "get"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
}));

const answers: { name: string; parts: StoredPart[] }[] = [];

/** Requests the answers once. Within a test, because requests are checked. */
async function loadAnswers(): Promise<void> {
  if (answers.length > 0) return;
  for (const [name, from] of [...cases, ...more]) {
    for (const provider of from) {
      const parts = storedParts(await ask(provider, name, { tools }));
      answers.push({ name: `${provider} ${name}`, parts });
    }
  }
  // Answers that no fixture has.
  const signed: StoredPart["provider_data"] = { provider: "anthropic", data: { anthropic: { signature: "sig" } } };
  const unsigned: StoredPart["provider_data"] = { provider: "anthropic", data: {} };
  answers.push(
    { name: "only thinking", parts: [{ type: "thinking", thinking: "Hm.", provider_data: signed }] },
    { name: "interrupted thinking", parts: [{ type: "thinking", thinking: "Hm", provider_data: unsigned }] },
    { name: "nothing", parts: [] },
    { name: "half", parts: [{ type: "text", text: "half \ud83d" }] },
    { name: "blank", parts: [{ type: "text", text: "\u200b" }] },
    {
      name: "image",
      parts: [
        { type: "text", text: "A picture:" },
        { type: "image", path: "/a.png", name: "a.png", mime_type: "image/png", data: png },
      ] as StoredPart[],
    },
  );
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const pdf = btoa("%PDF-1.4 a");

const word = fc.constantFrom("Yes.", "", " \n", "\u200b", "half \ud83d", '{"t":"\\ud83d"}', "null", "[]");

const file = fc.constantFrom<StoredPart>(
  { type: "image", path: "/a.png", name: "a.png", mime_type: "image/png", data: png } as StoredPart,
  { type: "image", path: "/b.webp", mime_type: "image/webp", url: "https://files.example/b.webp" } as StoredPart,
  { type: "image", path: "/c.svg", name: "", mime_type: "image/svg+xml", data: btoa("<svg/>") } as StoredPart,
  { type: "file", path: "/d.pdf", name: "d.pdf", mime_type: "application/pdf", data: pdf } as StoredPart,
  { type: "image", path: "/i.png", name: "i.png", mime_type: "image/png", data: "" } as StoredPart,
  { type: "file", path: "/e", name: "half \ud83d", mime_type: "application/pdf", data: "" } as StoredPart,
  { type: "file", path: "/f.txt", name: " ", mime_type: "text/plain", data: btoa(" ") } as StoredPart,
  { type: "file", path: "/g.mp3", name: "g.mp3", mime_type: "audio/mpeg", data: btoa("ID3") } as StoredPart,
  { type: "file", path: "/h.bin", mime_type: "application/x-odd", url: "no address" } as StoredPart,
);

interface Step {
  answer: number;
  said: string;
  files: StoredPart[];
  outcome: "success" | "error" | "refused" | "lost";
  output: string;
  late: boolean;
  shown: StoredPart | undefined;
  target: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  answer: fc.nat(),
  said: word,
  files: fc.array(file, { maxLength: 2 }),
  outcome: fc.constantFrom("success", "error", "refused", "lost"),
  output: word,
  late: fc.boolean(),
  shown: fc.option(file, { nil: undefined }),
  target: fc.nat(),
});

/** The result of a call in a step. */
function resultOf(call: Extract<StoredPart, { type: "tool_call" }>, { outcome, output, shown }: Step): ModelMessage[] {
  if (outcome === "lost") return [];
  const result =
    outcome === "success"
      ? { status: "success" as const, result: output }
      : { status: "error" as const, error: outcome === "refused" ? "A person refused the call." : output };
  const parts: StoredPart[] = shown === undefined ? [] : [shown];
  return [message("tool", { name: call.name, tool_call_id: call.id, result, parts })];
}

/** The messages of a step: a question, an answer, the results of its calls, and a question. */
function messagesOf(given: Step): ModelMessage[] {
  const { parts } = answers[given.answer % answers.length] ?? { parts: [] };
  const results = parts.flatMap((part) => (part.type === "tool_call" ? resultOf(part, given) : []));
  const requested = message("user", { parts: [{ type: "text", text: given.said }, ...given.files] });
  const hurry = given.late ? [message("user", { parts: [{ type: "text", text: "Hurry." }] })] : [];
  return [requested, message("assistant", { parts }), ...hurry, ...results];
}

it("The fixtures have thinking with data of providers, calls and pictures", async () => {
  await loadAnswers();
  const parts = answers.flatMap((answer) => answer.parts);
  const kinds = new Set(parts.map(({ type, provider_data: data }) => `${type} ${data?.provider ?? ""}`));
  for (const kind of ["thinking anthropic", "tool_call google", "thinking openai-responses", "thinking openrouter"]) {
    expect([...kinds].some((each) => each.startsWith(kind))).toBe(true);
  }
});

it("HISTORY1 A request to each provider breaks no rule of its protocol, whatever models of other providers wrote the answers", async () => {
  await loadAnswers();
  const valid = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(null, "high" as const),
    async (steps, effort) => {
      const messages: ModelMessage[] = [];
      for (const given of steps) {
        messages.push(...messagesOf(given));
        const [provider, definition] = targets[given.target % targets.length] ?? ["openai", {}];
        const reasoning = effort === null ? null : { effort };
        await capture(provider, { messages, tools, reasoning: reasoning as never }, definition);
      }
    },
  );
  await fc.assert(valid, { seed: inject("modelServerSeed"), numRuns: 300 });
});

it("HISTORY1 A request to each model breaks no rule of its protocol after each answer of each provider", async () => {
  await loadAnswers();
  for (const [at] of answers.entries()) {
    const facts = { said: "?", files: [], output: "ok", late: false, shown: undefined, target: 0 };
    const messages = [...messagesOf({ ...facts, answer: at, outcome: "success" }), user("So?")];
    for (const [provider, definition] of targets) await capture(provider, { messages, tools }, definition);
  }
});

const image = { type: "image", path: "/a.png", name: "a.png", mime_type: "image/png" } as StoredPart;

/** The request with a tool's result that has these parts and this text. */
async function resultSent(provider: Provider, parts: StoredPart[], text: string): Promise<string> {
  const [requested, answered] = callAndResult("toolu_01AAAAAAAAAAAA01");
  const shown = { ...answered, parts, result: { status: "success", result: text } } as ModelMessage;
  const { body } = await capture(provider, { messages: [user("?"), requested as ModelMessage, shown], tools });
  return JSON.stringify(body);
}

it.each(["", " \n", "A picture."])(
  "HISTORY1 Gemini is sent one result for a call whose result has an image, a file that it cannot see, and the text %j",
  async (text) => {
    const file: StoredPart = { type: "file", path: "/b.zip", name: "b.zip", mime_type: "application/zip" };
    const png64 = { ...image, data: png } as StoredPart;
    expect((await resultSent("google", [png64], text)).match(/"functionResponse"/g)).toHaveLength(1);
    expect((await resultSent("google", [png64, file], text)).match(/"functionResponse"/g)).toHaveLength(1);
  },
);

it.each(providers)("HISTORY1 A file or an image without bytes is sent to %s as a line", async (provider) => {
  const empty = { ...image, data: "" } as StoredPart;
  const document = {
    type: "file",
    path: "/b.pdf",
    name: "b.pdf",
    mime_type: "application/pdf",
    data: "",
  } as StoredPart;
  const messages = [message("user", { parts: [{ type: "text", text: "?" }, empty, document] })];
  const sent = [
    JSON.stringify((await capture(provider, { messages })).body),
    await resultSent(provider, [empty], "ok"),
  ];
  for (const body of sent) {
    expect(body).toContain("a.png");
    expect(body).not.toMatch(/"(?:data|image_url|url|file_data)":"(?:data:[^"]*,)?"/);
  }
});
