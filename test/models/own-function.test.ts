// A provider of a project that is a function: the parts that it may yield, and how its errors end an answer.

import { describe, expect, it } from "vitest";

import type { ModelRequest } from "#core/ports/model-port.ts";

import { askStream, failureOf, finish, named, weather, yields, type Stream } from "./ask-function.ts";
import { emitted, readAnswer } from "./ask-model.ts";

describe("the parts of a function", () => {
  it("PROVIDER6 Texts, thinking, calls, images, tokens and the end become an answer", async () => {
    const parts = await askStream(
      yields(
        { type: "thinking", text: "Let me " },
        { type: "thinking", text: "see." },
        { type: "text", text: "It is " },
        { type: "text", text: "sunny." },
        { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
        { type: "tool_call", id: "c1", name: "get_weather", arguments: { city: "Oslo" } },
        { type: "tool_call", id: "c2", name: "get_weather", arguments: '{"city":"Bergen"}' },
        { type: "usage", input: 10, cacheRead: 4 },
        { type: "usage", output: 7, cost: 0.25 },
        { type: "finish", reason: "tool_calls", model: "m-1-2026" },
      ),
      { more: { tools: [weather] } },
    );
    const blocks = emitted(parts).filter((part) => part.type.endsWith("_start"));
    expect(blocks.map(({ type }) => type)).toEqual([
      "thinking_start",
      "text_start",
      "media_start",
      "toolcall_start",
      "toolcall_start",
    ]);
    const { text, thinking, calls, end } = readAnswer(parts);
    expect([text, thinking]).toEqual(["It is sunny.", "Let me see."]);
    expect(calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
      ["get_weather", { city: "Oslo" }],
      ["get_weather", { city: "Bergen" }],
    ]);
    expect(end).toMatchObject({
      type: "finish",
      stop_reason: "tool_calls",
      usage: { input: 10, output: 7, cache_read: 4, cache_write: 0, total_tokens: 21 },
      reported_cost: 0.25,
      model_id: "m-1-2026",
    });
  });

  it("PROVIDER6 A blocked answer has the reason of the function, and an answer at the limit is cut", async () => {
    const blocked = yields(
      { type: "text", text: "I" },
      { type: "finish", reason: "content_filter", detail: "weapons" },
    );
    expect(readAnswer(await askStream(blocked)).end).toMatchObject({
      stop_reason: "content_filter",
      stop_detail: "weapons",
    });
    const cut = yields({ type: "text", text: "I" }, { type: "finish", reason: "length" });
    expect(readAnswer(await askStream(cut)).end).toMatchObject({ stop_reason: "length" });
  });

  it("PROVIDER6 Each part is in the raw log, without the text of excluded thinking", async () => {
    const stream = yields({ type: "thinking", text: "private" }, { type: "text", text: "shown" }, finish);
    const chunks = async (more: Partial<ModelRequest>) =>
      (await askStream(stream, { more })).flatMap((part) => (part.type === "raw" ? [JSON.parse(part.chunk)] : []));
    expect(await chunks({})).toEqual([{ type: "thinking", text: "private" }, { type: "text", text: "shown" }, finish]);
    expect(await chunks({ reasoning: { exclude: true } })).toMatchObject([{ text: "" }, { text: "shown" }, finish]);
  });

  it.each([
    ["no object", "text", 'yielded "text". The types are text, thinking, tool_call, image, usage, finish'],
    ["a list", [], "yielded a list."],
    ["null", null, "yielded null."],
    ["an unknown type", { type: "txt", text: "a" }, 'yielded a part of the type "txt"'],
    ["a type of the prototype", { type: "constructor" }, 'a part of the type "constructor"'],
    [
      "an unknown field",
      { type: "text", text: "a", role: "x" },
      'the field "role" in a part "text", whose fields are text',
    ],
    ["a text that is a number", { type: "text", text: 5 }, 'a part "text" whose text is 5; it has to be a string'],
    [
      "a call without an id",
      { type: "tool_call", name: "a", arguments: {} },
      'a part "tool_call" whose id is undefined',
    ],
    ["a call with an empty id", { type: "tool_call", id: "", name: "a", arguments: {} }, 'whose id is ""'],
    ["a call without a name", { type: "tool_call", id: "a", arguments: {} }, "whose name is undefined"],
    [
      "arguments that are a list",
      { type: "tool_call", id: "a", name: "b", arguments: [] },
      "whose arguments is a list",
    ],
    ["arguments that are no JSON", { type: "tool_call", id: "a", name: "b", arguments: { a: 1n } }, "are no JSON"],
    ["an image of a page", { type: "image", mimeType: "text/html", data: "aaaa" }, "whose mimeType is"],
    ["an image that is no base64", { type: "image", mimeType: "image/png", data: "<svg>" }, "whose data is"],
    ["negative tokens", { type: "usage", input: -1 }, "whose input is -1; it has to be a whole number"],
    ["tokens that are no number", { type: "usage", output: NaN }, "whose output is NaN"],
    ["a negative cost", { type: "usage", cost: -0.1 }, "whose cost is -0.1"],
    [
      "an unknown reason",
      { type: "finish", reason: "done" },
      'whose reason is "done"; it has to be one of stop, tool_calls',
    ],
  ])(
    "PROVIDER7 A function that yields %s fails with a sentence and its file, and is not asked again",
    async (_what, part, text) => {
      const failed = await failureOf(yields({ type: "text", text: "Hi" }, part));
      expect(failed).toMatchObject({ kind: "api", retryable: false });
      expect(failed?.message).toContain(text);
      expect(failed?.message.endsWith(named)).toBe(true);
    },
  );

  it("PROVIDER7 A part after finish fails, and no answer is complete before the function has ended", async () => {
    const failed = await failureOf(yields({ type: "text", text: "Hi" }, finish, { type: "text", text: "more" }));
    expect(failed).toMatchObject({
      kind: "api",
      message: `The function \`stream\` yielded a part "text" after the part "finish".${named}`,
    });
    expect(await failureOf(yields(finish, finish))).toMatchObject({ kind: "api" });
  });

  it("PROVIDER7 A function that ends without finish, also without any part, is an answer that broke off", async () => {
    const broke = {
      kind: "network",
      retryable: true,
      message: `The provider's stream ended without saying why it stopped. The last part of an answer is "finish".${named}`,
    };
    expect(await failureOf(yields())).toMatchObject(broke);
    expect(await failureOf(yields({ type: "text", text: "Hi" }))).toMatchObject(broke);
  });

  it("PROVIDER7 A function that yields without an end is stopped", async () => {
    const endless = async function* () {
      for (;;) yield { type: "text", text: "" };
    };
    expect(await failureOf(endless)).toMatchObject({
      kind: "api",
      message: `The provider sent more than 20000 parts in a row without content.${named}`,
    });
  });

  it.each([
    ["a promise", async () => [], "returned an object. It has to be an async generator"],
    ["a list", () => [], "returned a list. It has to be"],
    ["nothing", () => undefined, "returned undefined. It has to be"],
  ])("PROVIDER7 A function that returns %s fails with a sentence", async (_what, stream, text) => {
    expect((await failureOf(stream))?.message).toContain(text);
  });

  it("PROVIDER9 The tokens of an interrupted answer are those that the function reported", async () => {
    const parts = await askStream(yields({ type: "usage", input: 30, output: 2 }, { type: "text", text: "Hi" }));
    expect(parts.at(-1)).toMatchObject({ type: "error", usage: { input: 30, output: 2, total_tokens: 32 } });
  });
});

describe("the errors of a function", () => {
  const throws = (error: unknown): Stream =>
    async function* () {
      yield { type: "text", text: "Hi" };
      throw error;
    };

  it("PROVIDER8 A thrown error is the failure of the request, with its name and the file of the provider", async () => {
    expect(await failureOf(throws(new Error("out of order")))).toMatchObject({
      kind: "api",
      retryable: false,
      message: `out of order${named}`,
    });
    expect((await failureOf(throws(new TypeError("x is not a function"))))?.message).toBe(
      `TypeError: x is not a function${named}`,
    );
    expect((await failureOf(throws("a text")))?.message).toBe(`The provider threw "a text".${named}`);
    const before = () => {
      throw new RangeError("too deep");
    };
    expect((await failureOf(before))?.message).toBe(`RangeError: too deep${named}`);
  });

  it.each([
    [429, "rate_limited", true],
    [401, "auth", false],
    [503, "network", true],
    [400, "api", false],
  ])("PROVIDER8 A thrown error with statusCode %s has the class %s", async (statusCode, kind, retryable) => {
    const failed = await failureOf(throws(Object.assign(new Error("no"), { statusCode })));
    expect(failed).toMatchObject({ kind, retryable, status: statusCode });
  });

  it("PROVIDER8 The response of the context's fetch decides the class of an error and the wait before a retry", async () => {
    const answers = () => Promise.resolve(new Response("slow down", { status: 429, headers: { "retry-after": "7" } }));
    const stream: Stream = async function* (_request, { fetch }) {
      const response = await fetch("https://m.example/v1");
      yield { type: "text", text: "Hi" };
      throw new Error(await response.text());
    };
    const failed = await failureOf(stream, { fetch: answers });
    expect(failed).toMatchObject({ kind: "rate_limited", retryable: true, status: 429, retry_after_ms: 7000 });
    expect(failed?.message).toBe(`slow down${named}`);
  });

  it.each<[string, number, string, (response: Response) => Promise<string>, string]>([
    ["an unread refusal", 400, "The tool is unknown.", async ({ status }) => `status ${status}`, "api"],
    ["an unread refusal of the size", 413, "Too large.", async ({ status }) => `status ${status}`, "api"],
    ["a refusal whose text is thrown", 400, "The tool is unknown.", (response) => response.text(), "api"],
    [
      "a refusal that states an overflow",
      400,
      "This model's maximum context length is 8 tokens.",
      (response) => response.text(),
      "overflow",
    ],
    [
      "a refusal without a text",
      400,
      "",
      async (response) => `${await response.text()}status ${response.status}`,
      "overflow",
    ],
  ])("PROVIDER8 The class of %s follows from its status and its text", async (_what, status, text, read, kind) => {
    const stream: Stream = async function* (_request, context) {
      const response = await context.fetch("https://m.example/v1");
      yield { type: "text", text: "Hi" };
      throw new Error(await read(response));
    };
    const refuse = () => Promise.resolve(new Response(text, { status }));
    expect(await failureOf(stream, { fetch: refuse })).toMatchObject({ kind, retryable: false, status });
  });

  it("PROVIDER10 The values of the provider's variables are in no raw chunk and no failure", async () => {
    const env = { MY_LOGIN: "my-login-secret-0006", MY_KEY: "my-key-secret-0007" };
    const stream: Stream = async function* (_request, context) {
      yield { type: "text", text: "Hi" };
      throw new Error(`${String(context.env["MY_LOGIN" as never])} is refused`);
    };
    const parts = await askStream(stream, { env, variables: ["MY_LOGIN", "MY_KEY"] });
    expect(JSON.stringify(parts)).not.toContain("secret-0006");
    expect(parts.at(-1)).toMatchObject({ failure: { message: `[redacted] is refused${named}` } });
    const spoken = await askStream(
      yields(
        { type: "tool_call", id: "a", name: "b", arguments: { key: env.MY_LOGIN } },
        { type: "finish", reason: "tool_calls" },
      ),
      { env, variables: ["MY_LOGIN"] },
    );
    const raw = spoken.filter((part) => part.type === "raw");
    expect(JSON.stringify(raw)).toContain("[redacted]");
    expect(JSON.stringify(raw)).not.toContain("secret-0006");
  });

  it("PROVIDER2 A request of a model whose provider lacks a variable fails before the function is called", async () => {
    let called = 0;
    const stream = () => (called += 1);
    expect(await failureOf(stream, { variables: ["MY_KEY"] })).toMatchObject({
      kind: "not_configured",
      message: expect.stringMatching(/^Model "own model" needs MY_KEY, which is not set\./) as string,
    });
    expect(called).toBe(0);
  });
});
