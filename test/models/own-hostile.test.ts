// Providers of a project that throw, return and send values of any kind: each answer ends with one last part, texts that are stored have a
// bound, no part of a secret is shown, and the log ends no answer.

import { describe, expect, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { defineProvider, type AiSdkProviderDefinition } from "#spec/index.ts";

import { askStream, failureOf, finish, named, yields, type Stream } from "./ask-function.ts";
import { collect, readAnswer, request } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import { ownModel } from "./own-providers.ts";

const secret = "hidden-value-of-the-key";
const requested = { env: { MY_KEY: secret }, variables: ["MY_KEY"] };

/** A value that contains itself. */
const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;

const usage = { inputTokens: { total: 3 }, outputTokens: { total: 2 } };
const sdkFinish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
const text = [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Hi" },
  { type: "text-end", id: "1" },
];

/** Asks a model of the AI SDK with these parts. */
async function askParts(sent: readonly unknown[], provider: Partial<AiSdkProviderDefinition> = {}) {
  const stream = new ReadableStream({
    start(controller) {
      for (const part of sent) controller.enqueue(part);
      controller.close();
    },
  });
  const model = { specificationVersion: "v3", provider: "p", modelId: "m", doStream: async () => ({ stream }) };
  const definition = defineProvider({ ...provider, name: "mine", variables: ["MY_KEY"], model: () => model as never });
  const port = createModelPort({ env: requested.env, fetch: () => Promise.reject(new Error("no")) });
  const parts = await collect(port.stream(request(ownModel(definition)), new AbortController().signal));
  expect(grammarFaults(parts)).toEqual([]);
  return parts;
}

const messageOf = (parts: readonly ModelPart[]): string => {
  const end = parts.at(-1);
  return end?.type === "error" ? end.failure.message : "";
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function unreadablePackageError(): Error {
  return Object.assign(errorWith(unreadable), { name: "AI_APICallError" });
}

/** A property that cannot be read. */
const unreadable: PropertyDescriptor = {
  get: () => {
    throw new TypeError("not readable");
  },
};

function errorWith(descriptor: PropertyDescriptor): Error {
  return Object.defineProperty(new Error("x"), "message", descriptor);
}

describe("errors of a provider", () => {
  const sentence = "The provider threw a value that cannot be read.";

  it.each<[string, unknown, string]>([
    ["a symbol", Symbol("x"), "The provider threw Symbol(x)."],
    ["null", null, "The provider threw null."],
    ["an object", { message: "x" }, "The provider threw an object."],
    ["a long text", "y".repeat(200), `The provider threw "${"y".repeat(200)}".`],
    ["an error whose message throws", errorWith(unreadable), sentence],
    ["an error whose cause throws", new Error("x", { cause: errorWith(unreadable) }), sentence],
    ["an error of a package whose message throws", unreadablePackageError(), sentence],
    ["an error whose message is a symbol", errorWith({ value: Symbol("m") }), sentence],
    ["an error whose name is a symbol", Object.assign(new Error("x"), { name: Symbol("n") }), sentence],
    ["a revoked proxy", revoked(), sentence],
  ])("PROVIDER8 A function that throws %s fails with a sentence and its file", async (_what, thrown, message) => {
    const stream: Stream = async function* () {
      yield { type: "text", text: "Hi" };
      throw thrown;
    };
    expect(await failureOf(stream)).toMatchObject({ kind: "api", retryable: false, message: `${message}${named}` });
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["a symbol", Symbol("x")],
    ["a value that contains itself", cyclic],
    ["a revoked proxy", revoked()],
    ["an error whose message throws", errorWith(unreadable)],
    ["an error of a package whose message throws", unreadablePackageError()],
    ["an object whose message throws", throwing("x")],
    ["a function", () => 1],
  ])("PROVIDER14 A model whose stream reports %s as its error fails with the file", async (_what, error) => {
    expect(messageOf(await askParts([...text, { type: "error", error }]))).toMatch(/ \(provider "mine" of .*\)$/);
  });

  it("PROVIDER8 The failure has the file also if the text of the error is cut", async () => {
    const failed = await failureOf(
      yields({ type: "tool_call", id: "a", name: "b", arguments: throwing("z".repeat(900)) }),
    );
    expect(failed?.message).toContain("z".repeat(300));
    expect(failed?.message.endsWith(named)).toBe(true);
  });

  /** Cuts of a text, at which a part of the secret could remain. */
  const cuts = [90, 95, 99, 480, 490, 499, 990, 995, 999, 1_990, 1_999];

  it.each<[string, (value: string) => unknown, boolean]>([
    ["an error", (value) => value, true],
    ["a type", (value) => ({ type: value }), false],
    ["a field", (value) => ({ type: "text", text: "a", [value]: 1 }), false],
    ["a reason", (value) => ({ type: "finish", reason: value }), false],
    ["a part", (value) => value, false],
    ["a detail", (value) => ({ type: "finish", reason: "content_filter", detail: value }), false],
    ["arguments", (value) => ({ type: "tool_call", id: "a", name: "b", arguments: throwing(value) }), false],
  ])("PROVIDER10 No part of a secret is shown where the text of %s is cut", async (_what, make, isThrown) => {
    for (const length of cuts) {
      const value = make(`${"x".repeat(length)}${secret}`);
      const stream: Stream = async function* () {
        yield { type: "text", text: "Hi" };
        if (isThrown) throw new Error(String(value));
        yield value;
      };
      const { end } = readAnswer(await askStream(stream, requested));
      expect(JSON.stringify(end)).not.toContain(secret.slice(0, 3));
    }
  });
});

/** Arguments whose JSON cannot be written. */
function throwing(message: string): object {
  return {
    toJSON: () => {
      throw new Error(message);
    },
  };
}

describe("values that are stored", () => {
  it.each([
    ["undefined", { toJSON: () => undefined }],
    ["a text", { toJSON: () => "x" }],
    ["a list", { toJSON: () => [] }],
    ["itself", cyclic],
  ])("PROVIDER7 Arguments whose JSON is %s fail with a sentence", async (_what, given) => {
    const failed = await failureOf(yields({ type: "tool_call", id: "a", name: "b", arguments: given }, finish));
    expect(failed?.message).toContain("yielded a tool call whose arguments are no JSON: ");
  });

  it("PROVIDER6 Calls with the same id are different calls", async () => {
    const call = (id: string, number: number) => ({ type: "tool_call", id, name: "b", arguments: { number } });
    const { calls } = readAnswer(
      await askStream(
        yields(call("a", 1), call("a", 2), call("a~1", 3), call("a", 4), { type: "finish", reason: "tool_calls" }),
      ),
    );
    expect(calls.map(({ arguments: given }) => JSON.parse(given))).toEqual([1, 2, 3, 4].map((number) => ({ number })));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
  });

  it("PROVIDER13 Calls of a model of the AI SDK with the same id are different calls, in pieces and as a whole", async () => {
    const piecewise = (id: string, input: string) => [
      { type: "tool-input-start", id, toolName: "b" },
      { type: "tool-input-delta", id, delta: input },
      { type: "tool-input-end", id },
      { type: "tool-call", toolCallId: id, toolName: "b", input },
    ];
    const parts = await askParts([
      ...piecewise("a", '{"n":1}'),
      ...piecewise("a", '{"n":2}'),
      { type: "tool-call", toolCallId: "a", toolName: "b", input: '{"n":3}' },
      { ...sdkFinish, finishReason: { unified: "tool-calls", raw: "tool_calls" } },
    ]);
    const { calls } = readAnswer(parts);
    expect(calls.map(({ arguments: given }) => given)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
  });

  const long = "x".repeat(1_001);

  it.each([
    ["id of a call", { type: "tool-call", toolCallId: long, toolName: "b", input: "{}" }],
    ["name of a tool", { type: "tool-call", toolCallId: "a", toolName: long, input: "{}" }],
    ["name of a tool before its arguments", { type: "tool-input-start", id: "a", toolName: long }],
    ["name of a model", { type: "response-metadata", modelId: long }],
  ])("PROVIDER14 A %s with more than 1,000 characters fails with a sentence", async (_what, part) => {
    expect(messageOf(await askParts([part, ...text, sdkFinish]))).toContain("is a text of 1001 characters");
  });

  it("PROVIDER7 A name of a model with more than 1,000 characters fails with a sentence", async () => {
    const failed = await failureOf(yields({ type: "finish", reason: "stop", model: long }));
    expect(failed?.message).toContain('a part "finish" whose model is a text of 1001 characters');
  });

  it("PROVIDER14 The metadata of an answer have a bound", async () => {
    const thought = (id: string) => [
      { type: "reasoning-start", id },
      { type: "reasoning-delta", id, delta: "x" },
      { type: "reasoning-end", id, providerMetadata: { groq: { signature: "y".repeat(200_000) } } },
    ];
    const thoughts = (count: number) => Array.from({ length: count }, (_, at) => thought(String(at))).flat();
    expect(messageOf(await askParts([...thoughts(40), ...text, sdkFinish]))).toBe("");
    expect(messageOf(await askParts([...thoughts(60), ...text, sdkFinish]))).toContain("providerMetadata are too long");
  });
});

describe("the log of a provider", () => {
  it.each<[string, unknown]>([
    ["a chunk that contains itself", { type: "raw", rawValue: cyclic }],
    ["a chunk with a bigint", { type: "raw", rawValue: { a: 1n } }],
    ["a chunk that is nothing", { type: "raw" }],
    ["a chunk whose JSON throws", { type: "raw", rawValue: throwing("x") }],
    ["a part that contains itself", { type: "source", sourceType: "url", id: "1", url: "https://a.example", cyclic }],
    ["warnings that contain themselves", { type: "stream-start", warnings: [cyclic, 5, null] }],
    ["metadata of a response", { type: "response-metadata", timestamp: new Date(0), headers: cyclic }],
    ["a result", { type: "tool-result", toolCallId: 5, result: cyclic }],
  ])("PROVIDER13 The log ends no answer: %s", async (_what, part) => {
    const { text: answered, end } = readAnswer(await askParts([part, ...text, sdkFinish]));
    expect([answered, end.type]).toEqual(["Hi", "finish"]);
  });

  it("PROVIDER6 The bytes of an image are part of the answer, and not of the raw log", async () => {
    const parts = await askStream(yields({ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }, finish));
    expect(parts).toContainEqual({ type: "media_delta", index: 0, delta: "iVBORw0KGgo=" });
    const [logged] = parts.flatMap((part) => (part.type === "raw" ? [JSON.parse(part.chunk)] : []));
    expect(logged).toEqual({ type: "image", mimeType: "image/png" });
  });

  it("PROVIDER6 A part that a function changes after it yielded it has no effect on the answer", async () => {
    const stream: Stream = async function* () {
      const part = { type: "text", text: "" };
      for (const piece of ["It ", "is ", "sunny."]) {
        part.text = piece;
        yield part;
      }
      const call = { type: "tool_call", id: "a", name: "b", arguments: { city: "Oslo" } };
      yield call;
      call.arguments.city = "changed";
      part.text = "changed";
      yield { type: "finish", reason: "tool_calls" };
    };
    const { text: answered, calls } = readAnswer(await askStream(stream));
    expect([answered, calls[0]?.arguments]).toEqual(["It is sunny.", '{"city":"Oslo"}']);
  });
});

describe("the fetch of the context", () => {
  const send = (input: () => RequestInfo) => {
    const stream: Stream = async function* (_request, { fetch }) {
      yield { type: "text", text: await (await fetch(input())).text() };
      yield finish;
    };
    return stream;
  };
  const post = () =>
    new Request("https://m.example/a", { method: "POST", headers: { "x-key": "k" }, body: "question" });

  it("PROVIDER12 A request object is sent with its method, its headers and its body, also after a redirect", async () => {
    const received: unknown[] = [];
    const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
      const given = new Request(input, init);
      received.push([given.url, given.method, given.headers.get("x-key"), await given.text()]);
      if (received.length > 1) return new Response("answered");
      return new Response(null, { status: 307, headers: { location: "/b" } });
    };
    const { text: answered } = readAnswer(await askStream(send(post), { fetch: fetch as typeof globalThis.fetch }));
    expect(answered).toBe("answered");
    expect(received).toEqual(["a", "b"].map((path) => [`https://m.example/${path}`, "POST", "k", "question"]));
  });

  it("PROVIDER12 A request object is not sent to another origin", async () => {
    const urls: string[] = [];
    const fetch = (input: RequestInfo | URL) => {
      urls.push(input instanceof Request ? input.url : String(input));
      return Promise.resolve(new Response(null, { status: 307, headers: { location: "https://evil.example/" } }));
    };
    const failed = await failureOf(send(post), { fetch: fetch as typeof globalThis.fetch });
    expect(failed?.message).toContain("redirects to https://evil.example, another origin");
    expect(urls).toEqual(["https://m.example/a"]);
  });

  it("PROVIDER11 The fetch of an earlier request cannot be used by a later one, which fails with a sentence", async () => {
    let kept: typeof globalThis.fetch | undefined;
    let sent = 0;
    const fetch = (_input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      init?.signal?.throwIfAborted();
      sent += 1;
      return Promise.resolve(new Response("answered"));
    };
    const stream: Stream = async function* (_request, context) {
      kept ??= context.fetch;
      yield { type: "text", text: await (await kept("https://m.example/")).text() };
      yield finish;
    };
    const options = { fetch: fetch as typeof globalThis.fetch };
    expect(readAnswer(await askStream(stream, options)).text).toBe("answered");
    expect(await failureOf(stream, options)).toMatchObject({ kind: "api", message: `The request is over.${named}` });
    expect(sent).toBe(1);
  });
});

it("PROVIDER14 The status and the body of a package's error decide its class", async () => {
  const error = Object.assign(new Error("x"), {
    name: "AI_APICallError",
    statusCode: 429,
    responseBody: '{"error":{"message":"slow down"}}',
  });
  expect((await askParts([...text, { type: "error", error }])).at(-1)).toMatchObject({
    failure: { kind: "rate_limited", retryable: true, status: 429, message: `slow down${named}` },
  });
});

it("PROVIDER13 A function of options that returns a promise fails with a sentence", async () => {
  const options = (async () => ({ effort: "high" })) as never;
  expect(messageOf(await askParts([...text, sdkFinish], { options }))).toBe(
    `The function \`options\` has to return an object of options, and no promise.${named}`,
  );
});
