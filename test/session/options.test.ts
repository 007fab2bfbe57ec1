// The options of a session, and those that one execution may change.

import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";

import { systemClock } from "#lib/system-clock.ts";
import { createSession, defineModel, execute } from "#session/index.ts";
import type { SessionOptions } from "#session/index.ts";

import { startModelServer } from "../support/model-server/server.mjs";
import type { ModelServer } from "../support/model-server/server.mjs";
import { add, locate, run, scripted, session, transcript, user } from "./support/scripted-session.ts";

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(() => server.close());

it("ENTRY15 A session may name its model among several, and an execution may choose another one", async () => {
  const [one, two] = [scripted([{ text: "One." }], "one"), scripted(() => ({ text: "Two." }), "two")];
  const of = createSession("s", {}, { model: "one", models: [one, two] });
  expect(of.model).toBe("one");
  await run(of, "Hello");
  await run(of, "And you?", { model: "two" });
  expect(transcript(of.messages)).toEqual(["user: Hello", "assistant: One.", "user: And you?", "assistant: Two."]);
  expect(of.model).toBe("two");
});

it("ENTRY15 If a model fails, its fallback is used, and the answer names the model that generated it", async () => {
  const spare = scripted([{ text: "Instead." }], "spare");
  const first = { ...scripted([{ error: { kind: "auth", message: "No." } }], "first"), fallbacks: ["spare"] };
  const of = session([], [], { model: first, models: [spare] });
  const { result } = await run(of, "Hello");
  expect(result).toMatchObject({ status: "completed", messages: [{}, { model: "spare" }] });
  expect(of.model).toBe("spare");
});

it("ENTRY15 The options temperature, maxTokens and reasoning are sent to the provider, and the options of an execution replace those of the session", async () => {
  const bodies: Record<string, unknown>[] = [];
  const options: SessionOptions = {
    model: defineModel({ name: "m", provider: "openai", model: "case:text" }),
    env: { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: server.url },
    temperature: 0.1,
    maxTokens: 100,
    reasoning: "low",
    fetch: (input, init) => {
      const { body } = init ?? {};
      bodies.push(JSON.parse(typeof body === "string" ? body : "{}") as Record<string, unknown>);
      return fetch(input, init);
    },
  };
  const of = createSession("s", { systemPrompt: "Be brief." }, options);
  await execute(of, user("Hello")).result();
  await execute(of, user("Hello"), { temperature: 0.9, reasoning: { effort: "high" } }).result();
  expect(bodies).toMatchObject([
    { model: "case:text", temperature: 0.1, reasoning_effort: "low" },
    { model: "case:text", temperature: 0.9, reasoning_effort: "high" },
  ]);
  expect(bodies.map((body) => body["max_tokens"] ?? body["max_completion_tokens"])).toEqual([100, 100]);
  expect(JSON.stringify(bodies[0]?.["messages"])).toContain("Be brief.");
});

it("CATALOGUE2 A model of a session in process has the prices of the catalogue at the provider's own address, and the cost counts", async () => {
  const costAt = async (env: Record<string, string>, fields: { inputPrice?: number } = {}) => {
    const options: SessionOptions = {
      model: defineModel({ name: "m", provider: "openai", api: "chat", model: "gpt-4.1", ...fields }),
      env: { OPENAI_API_KEY: "sk-1", ...env },
      fetch: (_, init = {}) => {
        const body = String(init.body as string).replace('"gpt-4.1"', '"case:text"');
        return fetch(`${server.url}/v1/chat/completions`, { ...init, body });
      },
    };
    return (await execute(createSession("s", {}, options), user("Hello")).result()).cost;
  };
  const known = await costAt({});
  expect(known).toBeGreaterThan(0);
  expect(await costAt({}, { inputPrice: 1_000_000 })).toBeGreaterThan(1);
  expect(await costAt({ OPENAI_BASE_URL: server.url })).toBeNull();
});

it("ENTRY15 A session sets the time limit of its tools", async () => {
  const slow = {
    ...add,
    async *execute(_id: string, _params: unknown, signal: AbortSignal) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      yield { type: "complete" as const, output: "too late" };
    },
  };
  const script = [{ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "A pity." }];
  const of = session(script, [slow], { toolTimeoutMs: 20 });
  await run(of, "What is 1 + 2?");
  expect(transcript(of.messages).at(-2)).toBe("add failed: The tool did not finish within 0.02 s.");
});

/** Timers whose time the test moves; like Node's, they fire at once if they are set for more than 2^31 - 1 ms. */
function heldTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

it.each([3_000_000_000, Number.POSITIVE_INFINITY])(
  "ENTRY15 A tool with a time limit of %d ms may run for 2^31 ms, which is longer than one timer of the platform",
  async (toolTimeoutMs) => {
    heldTimers();
    const patient = {
      ...add,
      async *execute() {
        await vi.advanceTimersByTimeAsync(2 ** 31);
        yield { type: "complete" as const, output: "3" };
      },
    };
    const script = [{ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "Three." }];
    const of = session(script, [patient], { toolTimeoutMs });
    await run(of, "What is 1 + 2?");
    expect(transcript(of.messages).slice(-2)).toEqual(["add: 3", "assistant: Three."]);
  },
);

it("ENTRY15 A timer for a tool's time limit may have any length, and an infinite one never fires", async () => {
  heldTimers();
  const called: string[] = [];
  const long = 2 * 2 ** 31 + 5;
  systemClock.after(long, () => called.push("after"));
  systemClock.after(long, () => called.push("disarmed"))();
  systemClock.after(Number.POSITIVE_INFINITY, () => called.push("never"));
  const stop = new AbortController();
  void systemClock.sleep(long, stop.signal).then(() => called.push("slept"));
  await vi.advanceTimersByTimeAsync(long - 1);
  expect(called).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(called).toEqual(["after", "slept"]);
  const late = systemClock.sleep(long, stop.signal).catch(() => called.push("cut"));
  stop.abort(new Error("stopped"));
  await late;
  expect(called.at(-1)).toBe("cut");
  expect(vi.getTimerCount()).toBe(0);
});

it.each([Number.NaN, -1, Number.NEGATIVE_INFINITY, "5"])(
  "ENTRY10 A tool's time limit of %s is refused",
  (toolTimeoutMs) => {
    expect(() => session([], [], { toolTimeoutMs: toolTimeoutMs as number })).toThrow("toolTimeoutMs is a number");
  },
);

it("ENTRY18 One blank answer ends an execution as completed, after one request", async () => {
  let requested = 0;
  const of = session(() => {
    requested += 1;
    return { text: "" };
  });
  const { result } = await run(of, "Hello");
  expect(result.status).toBe("completed");
  expect(requested).toBe(1);
  expect(transcript(of.messages)).toHaveLength(2);
  await run(of, "Are you there?");
  expect(requested).toBe(2);
});

it("ENTRY18 A session stores tool results, errors and remote results completely, with text and details", async () => {
  const words = "w".repeat(400_000);
  const details = { all: "d".repeat(250_000) };
  const whole = {
    ...add,
    async *execute() {
      yield { type: "complete" as const, output: words, details };
    },
  };
  const throwing = {
    ...add,
    name: "throw",
    // eslint-disable-next-line require-yield -- the tool fails before it gives anything
    async *execute(): AsyncGenerator<never> {
      throw new Error(words);
    },
  };
  const call = (name: string) => ({ name, arguments: { a: 1, b: 2 } });
  const received: number[] = [];
  const of = session(
    ({ messages, step }) => {
      received.push(...messages.filter(({ role }) => role === "tool").map(({ content }) => content?.length ?? 0));
      return step === 0
        ? { toolCalls: [call("add"), call("throw"), { name: "locate", arguments: {} }] }
        : { text: "ok" };
    },
    [whole, throwing, locate],
  );
  const { result } = await run(of, "Go");
  const [pending] = result.status === "awaiting_tool_execution" ? (result.pendingToolCalls ?? []) : [];
  await run(of, [{ role: "toolResult", toolCallId: pending?.id ?? "", content: words, details }]);
  const results = of.messages.filter((message) => message.role === "toolResult");
  expect(results.map(({ content }) => content)).toEqual([words, words, words]);
  expect(results.map((one) => one.details)).toEqual([details, undefined, details]);
  expect(received).toEqual([400_000, 400_000, 400_000]);
});

it("ENTRY5 An image is sent to the model unchanged, and a file at a URL as that URL", async () => {
  const data = "iVBORw0KGgo=";
  const received: unknown[] = [];
  const of = session(({ messages }) => {
    received.push(messages.at(-1));
    return { text: "Nice." };
  });
  const content = [
    { type: "text" as const, text: "What is this?" },
    { type: "image" as const, data, mimeType: "image/png" },
    { type: "file" as const, path: "https://example.com/a.pdf", mimeType: "application/pdf" },
  ];
  await run(of, { role: "user", content });
  expect(received).toEqual([
    {
      role: "user",
      content: "What is this?\n[file: a.pdf, application/pdf, https://example.com/a.pdf]",
      attachments: [{ mimeType: "image/png", size: 8 }],
    },
  ]);
  expect(of.messages[0]).toEqual({ role: "user", content });
});

it("ENTRY10 A model or a fallback of an unknown provider is refused, because no build checks it", () => {
  const far = defineModel({ name: "far", provider: "somewhere" as "test", model: "m" });
  const near = defineModel({ name: "near", provider: "test", model: "m", script: [], fallbacks: ["far"] });
  const message = 'Model "far": provider "somewhere" does not exist; available are';
  expect(() => createSession("s", {}, { model: far })).toThrow(message);
  expect(() => createSession("s", {}, { model: near, models: [far] })).toThrow(message);
});

it("ENTRY10 A server without an address is refused, because no build checks it", () => {
  const far = defineModel({ name: "far", provider: "openai-compatible", model: "m" });
  expect(() => createSession("s", {}, { model: far })).toThrow("needs the address of the server");
});

it("ENTRY10 A model of the binding AI is refused in a process without it, before a request is sent", async () => {
  const bound = createSession(
    "s",
    {},
    { model: defineModel({ name: "bound", provider: "workers-ai", model: "@cf/a/b" }), env: {} },
  );
  await expect(run(bound, "Hello")).rejects.toThrow("give the session options.env with it");
});
