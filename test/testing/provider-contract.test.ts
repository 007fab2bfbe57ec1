// The contract suite of `threadhold/testing`: providers that keep the contract, and one for each way to break a rule.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  defineProvider,
  type ProviderContext,
  type ProviderDefinition,
  type ProviderPart,
  type ProviderRequest,
} from "threadhold";
import { providerContract, type ProviderContractOptions, type ProviderScenario } from "threadhold/testing";
import { describe, expect, it } from "vitest";

const reasons: Record<string, string> = { length: "length", tool_calls: "tool_calls", stop: "stop" };

/** The parts of an answer as a server with Chat Completions sends them. */
function chatStream(parts: readonly ProviderPart[]): string {
  let calls = 0;
  const chunks = parts.map((part): object => {
    const delta = (value: object) => ({ choices: [{ index: 0, delta: value, finish_reason: null }] });
    switch (part.type) {
      case "text":
        return delta({ content: part.text });
      case "thinking":
        return delta({ reasoning_content: part.text });
      case "tool_call": {
        const called = { name: part.name, arguments: JSON.stringify(part.arguments) };
        return delta({ tool_calls: [{ index: calls++, id: part.id, type: "function", function: called }] });
      }
      case "usage": {
        const [prompt_tokens = 0, completion_tokens = 0] = [part.input, part.output];
        return {
          choices: [],
          usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
        };
      }
      case "finish":
        return { choices: [{ index: 0, delta: {}, finish_reason: reasons[part.reason] }] };
      case "image":
        return {};
    }
  });
  const isWhole = parts.some(({ type }) => type === "finish");
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + (isWhole ? "data: [DONE]\n\n" : "");
}

const sdk = defineProvider({
  name: "sdk",
  variables: ["SDK_KEY"],
  model: (modelId, { env, fetch }) =>
    createOpenAICompatible({
      name: "sdk",
      baseURL: "https://m.example/v1",
      apiKey: String(Reflect.get(env, "SDK_KEY")),
      fetch,
    })(modelId),
});

/** The parts of an answer as lines of JSON. */
const lines = (parts: readonly ProviderPart[]): string => parts.map((part) => `${JSON.stringify(part)}\n`).join("");

/** A provider whose server sends the parts as lines of JSON. `change` breaks a rule. */
function byLines(change: Partial<Changes> = {}): ProviderDefinition {
  const { send, read, decode } = { ...unchanged, ...change };
  return defineProvider({
    name: "by_lines",
    async *stream(request, { fetch }) {
      const response = await send(request, fetch);
      if (!response.ok) throw new Error(await response.text());
      let text = "";
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) {
        text += decode(bytes, decoder);
        const whole = text.split("\n");
        text = whole.pop() ?? "";
        for (const line of whole) yield* read(JSON.parse(line) as ProviderPart);
      }
    },
  });
}

interface Changes {
  send: (request: ProviderRequest, fetch: ProviderContext["fetch"]) => Promise<Response>;
  read: (part: ProviderPart) => Iterable<ProviderPart>;
  decode: (bytes: Uint8Array, decoder: TextDecoder) => string;
}

const unchanged: Changes = {
  send: (request, fetch) => fetch("https://m.example/", { method: "POST", body: JSON.stringify(request) }),
  read: (part) => [part],
  decode: (bytes, decoder) => decoder.decode(bytes, { stream: true }),
};

/** A provider that sends no requests. */
function inProcess({ parts, end, status }: ProviderScenario, ignoresAbort = false): ProviderDefinition {
  return defineProvider({
    name: "in_process",
    async *stream({ signal }) {
      if (status !== null) throw Object.assign(new Error("It was refused."), { statusCode: status });
      yield* parts;
      if (end !== "open") return;
      await new Promise<void>((resolve) => {
        if (!ignoresAbort) signal.addEventListener("abort", () => resolve());
      });
    },
  });
}

/** The problems that the cases find, by their names. */
async function problems(options: ProviderContractOptions): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, run } of providerContract({ timeoutMs: 1_000, ...options })) {
    try {
      await run();
    } catch (thrown) {
      found[name] = String(thrown).replace(`Error: The provider breaks the rule "${name}": `, "");
    }
  }
  return found;
}

describe("a provider over the AI SDK keeps the contract", () => {
  for (const { name, run } of providerContract({ provider: sdk, respond: chatStream })) it(`PROVIDER17 ${name}`, run);
});

describe("a provider that is a function with a server keeps the contract", () => {
  for (const { name, run } of providerContract({ provider: byLines(), respond: lines })) it(`PROVIDER17 ${name}`, run);
});

describe("a provider without a server keeps the contract", () => {
  for (const { name, run } of providerContract({ provider: inProcess })) it(`PROVIDER17 ${name}`, run);
});

it("PROVIDER17 The cases of a feature that a provider does not have are left out, and those of a server without a server", () => {
  const names = (options: Partial<ProviderContractOptions>) =>
    providerContract({ provider: byLines(), ...options }).length;
  expect(names({ respond: lines, without: ["thinking", "usage", "tools"] })).toBe(names({ respond: lines }) - 5);
  expect(names({})).toBe(names({ respond: lines }) - 3);
});

const withoutFinish = (end: (part: ProviderPart) => Iterable<ProviderPart>) => (part: ProviderPart) =>
  part.type === "finish" ? end(part) : [part];

const broken: [what: string, provider: ProviderContractOptions["provider"], rule: string, problem: RegExp][] = [
  [
    "loses the token counts",
    byLines({ read: (part) => (part.type === "usage" ? [] : [part]) }),
    "An answer has the token counts",
    /^the counts are 0 and 0, and not 12 and 8\.$/,
  ],
  [
    "yields parts after the end",
    byLines({ read: withoutFinish((part) => [part, { type: "text", text: "!" }]) }),
    "An answer has all its texts",
    /yielded a part "text" after the part "finish"/,
  ],
  [
    "yields two ends",
    byLines({ read: withoutFinish((part) => [part, part]) }),
    "An answer has all its texts",
    /a part "finish" after the part "finish"/,
  ],
  [
    "yields a call without an id",
    byLines({ read: (part) => (part.type === "tool_call" ? [{ ...part, id: "" }] : [part]) }),
    "A tool call has its name",
    /whose id is ""/,
  ],
  [
    "loses calls",
    byLines({ read: (part) => (part.type === "tool_call" && part.id === "call_b2" ? [] : [part]) }),
    "Several tool calls",
    /^the calls are /,
  ],
  [
    "renames the arguments",
    byLines({ read: (part) => (part.type === "tool_call" ? [{ ...part, arguments: {} }] : [part]) }),
    "A tool call has its name",
    /^the calls are \[\["get_weather",\{\}\]\]/,
  ],
  [
    "writes thinking into the text",
    byLines({ read: (part) => (part.type === "thinking" ? [{ ...part, type: "text" }] : [part]) }),
    "Thinking is read as thinking",
    /^the text is "Let me see\./,
  ],
  [
    "loses the reason of the end",
    byLines({ read: withoutFinish(() => [{ type: "finish", reason: "stop" }]) }),
    "An answer at the limit",
    /^the stop reason is stop, and not length\.$/,
  ],
  [
    "splits characters",
    byLines({ decode: (bytes) => new TextDecoder().decode(bytes) }),
    "An answer has all its texts",
    /^the text is /,
  ],
  [
    "ends a broken answer as if it were complete",
    defineProvider({
      name: "closing",
      async *stream(request, context) {
        let isFinished = false;
        for await (const part of byLines().stream?.(request, context) ?? []) {
          isFinished ||= part.type === "finish";
          yield part;
        }
        if (!isFinished) yield { type: "finish", reason: "stop" };
      },
    }),
    "An answer that breaks off",
    /^the answer is complete, and not a failure\.$/,
  ],
  [
    "answers with the text of a refusal",
    byLines({
      send: async (request, fetch) => {
        const response = await unchanged.send(request, fetch);
        return response.ok
          ? response
          : new Response(
              lines([
                { type: "text", text: await response.text() },
                { type: "finish", reason: "stop" },
              ]),
            );
      },
    }),
    "A refused key",
    /^the answer is complete, and not a failure\.$/,
  ],
  [
    "sends its requests by another fetch",
    byLines({
      send: () =>
        Promise.resolve(
          new Response(
            lines([
              { type: "text", text: "Hi" },
              { type: "finish", reason: "stop" },
            ]),
          ),
        ),
    }),
    "A request contains the tools",
    /^it sent no request by the fetch of its context\.$/,
  ],
  [
    "reads the whole answer before it yields",
    byLines({
      send: async (request, fetch) => new Response(await (await unchanged.send(request, fetch)).text()),
    }),
    "A text arrives before",
    /did not end within 1000 ms/,
  ],
  [
    "loses the system prompt",
    byLines({ send: (request, fetch) => unchanged.send({ ...request, system: "" }, fetch) }),
    "A request contains the system prompt",
    /^no request contains "contract-system-17"\.$/,
  ],
  [
    "loses the tools",
    byLines({ send: (request, fetch) => unchanged.send({ ...request, tools: [], messages: [] }, fetch) }),
    "A request contains the tools",
    /^no request contains "get_weather"\.$/,
  ],
  [
    "loses the limit of the answer",
    byLines({ send: (request, fetch) => unchanged.send({ ...request, maxTokens: null }, fetch) }),
    "A request contains the limit",
    /^no request contains "4321"\.$/,
  ],
  [
    "throws",
    byLines({ send: () => Promise.reject(new TypeError("x is not a function")) }),
    "An answer has all its texts",
    /TypeError: x is not a function|it sent no request/,
  ],
];

describe("a provider that breaks a rule", () => {
  it.each(broken)(
    "PROVIDER17 The suite names the rule for a provider that %s",
    async (_what, provider, rule, problem) => {
      const found = await problems({ provider, respond: lines });
      const [name = ""] = Object.keys(found).filter((one) => one.startsWith(rule));
      expect(found[name]).toMatch(problem);
    },
  );

  it("PROVIDER17 The suite names the rule for a provider that ignores an abort", async () => {
    const found = await problems({ provider: (scenario) => inProcess(scenario, true), timeoutMs: 200 });
    expect(found).toEqual({
      "A text arrives before the answer is complete":
        "the provider did not end within 200 ms after its signal was aborted.",
      "An abort ends the answer and the provider":
        "the provider did not end within 200 ms after its signal was aborted.",
    });
  });

  it("PROVIDER17 The suite names the rule for a provider that retries a refused key, or hides its status", async () => {
    const hiding = (scenario: ProviderScenario) =>
      defineProvider({
        name: "hiding",
        async *stream(request, context) {
          if (scenario.status !== null) throw new Error("It was refused.");
          yield* inProcess(scenario).stream?.(request, context) ?? [];
        },
      });
    const found = await problems({ provider: hiding });
    expect(Object.values(found)).toEqual([
      expect.stringMatching(/^the failure has the class api, and not auth: It was refused\./),
      expect.stringMatching(/^the failure has the class api, and not rate_limited/),
      expect.stringMatching(/^the failure has the class api, and not network/),
    ]);
  });

  it("PROVIDER17 A provider that keeps the contract has no problem in any case", async () => {
    expect(await problems({ provider: byLines(), respond: lines })).toEqual({});
  });
});
