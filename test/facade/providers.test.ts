// Requests of UPP to a local server that answers with the recorded bytes of each provider: answers, calls, reasoning, errors and the
// settings of the connection.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bindModel } from "#facade/upp/bound-model.ts";
import { llm } from "#facade/upp/llm.ts";
import type { LLMOptions } from "#facade/upp/llm.ts";
import type { ProviderConfig } from "#facade/upp/model-reference.ts";
import anthropic from "#facade/upp/provider/anthropic-models.ts";
import google from "#facade/upp/provider/google-models.ts";
import openai from "#facade/upp/provider/openai-models.ts";
import openrouter from "#facade/upp/provider/openrouter-models.ts";
import type { StreamEvent } from "#facade/upp/stream-event.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "#facade/upp/upp-message.ts";
import { deferred } from "#lib/deferred.ts";

import { pngBytes } from "../support/memory-files.ts";
import { startModelServer } from "../support/model-server/server.mjs";
import type { ModelServer } from "../support/model-server/server.mjs";
import { outline, rejection, tool } from "./support/scripted-llm.ts";

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  console.log(`MODEL_SERVER_SEED=${server.seed}`);
});

afterAll(() => server.close());

const providers = { anthropic, google, openai, openrouter };
const paths = { anthropic: "/v1", google: "/v1beta", openai: "/v1", openrouter: "/api/v1" };
type Name = keyof typeof providers;
const names = Object.keys(providers) as Name[];

let exchanges = 0;

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** The settings for requests to the local server, and the requests that it received with them. */
function connection(name: Name, more: ProviderConfig = {}): { config: ProviderConfig; sent: () => Promise<Sent[]> } {
  const id = `upp-${(exchanges += 1)}`;
  return {
    config: {
      apiKey: "key-1",
      baseUrl: `${server.url}${paths[name]}`,
      ...more,
      headers: { "x-server-id": id, ...more.headers },
    },
    sent: async () => (await (await fetch(`${server.url}/__requests?id=${id}`)).json()) as Sent[],
  };
}

function at(name: Name, model: string, more: Partial<LLMOptions> & { connection?: ProviderConfig } = {}) {
  const { connection: settings, ...options } = more;
  const { config, sent } = connection(name, settings);
  return { model: llm({ model: providers[name](model), config, ...options }), sent };
}

const weather = tool("get_weather", ({ city }) => ({ city, sky: "clear" }), {
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
});

describe.each(names)("%s", (name) => {
  it("A turn calls its tool with the arguments of the recorded answer and ends with the recorded text", async () => {
    const { model, sent } = at(name, "case:tool-call|text", { tools: [weather], system: "Be brief." });
    const turn = await model.generate("How is the weather?");
    expect(turn.messages.map(({ type }) => type)).toEqual(["user", "assistant", "tool_result", "assistant"]);
    expect(turn.toolExecutions).toMatchObject([
      { toolName: "get_weather", arguments: { city: "Zürich" }, isError: false },
    ]);
    expect(turn.response.text.length).toBeGreaterThan(5);
    expect(turn.usage.inputTokens).toBeGreaterThan(0);
    const [first, second, ...others] = await sent();
    expect(others).toEqual([]);
    expect(JSON.stringify(first?.body)).toContain("Be brief.");
    expect(JSON.stringify(second?.body)).toMatch(/\\?"sky\\?":\\?"clear/);
  });

  it("The text deltas of a stream together are the text of its turn", async () => {
    const { model } = at(name, "case:multibyte-split");
    const stream = model.stream("Hello");
    const events: StreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ delta }) => delta.text ?? "").join("")).toBe((await stream.turn).response.text);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(["message_start", "message_stop"]);
  });

  it("A model from bindModel returns the response to a single request, and does not execute the tool calls in the response", async () => {
    const { config } = connection(name);
    const bound = bindModel(providers[name]("case:tool-call"), config);
    const request = { messages: [new UserMessage("How is the weather?")], tools: [weather] };
    const response = await bound.complete(request);
    expect(response).toMatchObject({
      stopReason: "tool_calls",
      message: { toolCalls: [{ toolName: "get_weather", arguments: { city: "Zürich" } }] },
    });
    const stream = bound.stream(request);
    const types = new Set<string>();
    for await (const { type } of stream) types.add(type);
    expect([...types]).toEqual([
      "message_start",
      "content_block_start",
      "tool_call_delta",
      "content_block_stop",
      "message_stop",
    ]);
    const { message } = await stream.response;
    expect(outline([message])).toEqual(outline([response.message]));
    expect([bound.modelId, bound.provider, bound.capabilities.tools]).toEqual([
      "case:tool-call",
      providers[name],
      true,
    ]);
  });

  it("A request offers the parameter `_after` with its tools if the model may order the calls, and not otherwise", async () => {
    for (const modelOrder of [true, false]) {
      const { model, sent } = at(name, "case:text", { tools: [weather], modelOrder });
      await model.generate("How is the weather?");
      expect(JSON.stringify((await sent())[0]?.body).includes('"_after"')).toBe(modelOrder);
    }
  });

  it("Text and image blocks in a tool's result are sent to the model as text and image, also as part of the history of a later turn", async () => {
    const image = { type: "image", source: { type: "bytes", data: pngBytes(60) }, mimeType: "image/png" };
    const result = { content: [{ type: "text", text: "A map of the town." }, image] };
    const { model, sent } = at(name, "case:tool-call|text", { tools: [{ ...weather, run: () => result }] });
    const turn = await model.generate("How is the weather?");
    await model.generate(turn.messages, "Again?");
    const bodies = (await sent()).map(({ body }) => JSON.stringify(body));
    const png = Buffer.from(pngBytes(60)).toString("base64");
    expect(bodies.map((body) => [body.includes("A map of the town."), body.includes(png)])).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ]);
    expect(turn.toolExecutions[0]?.result).toBe(result);
  });

  it("A recorded structured answer of a provider is parsed into the turn's data", async () => {
    const structure = {
      type: "object",
      properties: { answer: { type: "number" } },
      required: ["answer"],
      additionalProperties: false,
    } as const;
    const { model, sent } = at(name, "case:structured", { structure });
    const turn = await model.generate("How much?");
    expect(turn.data).toEqual(expect.any(Object));
    expect(JSON.stringify((await sent())[0]?.body)).toContain('"answer"');
  });

  it.each([
    ["auth", "AUTHENTICATION_FAILED", 401],
    ["bad-request", "INVALID_REQUEST", 400],
    ["overflow", "CONTEXT_LENGTH_EXCEEDED", 400],
    ["empty-body", "CONTEXT_LENGTH_EXCEEDED", 413],
    ["rate-limit", "RATE_LIMITED", 429],
    ["unavailable", "PROVIDER_ERROR", 503],
    ["no-such-case", "MODEL_NOT_FOUND", 404],
  ])(
    "The recorded error response %s ends the turn with a UPPError with the code %s, and the request is not repeated",
    async (answer, code, statusCode) => {
      const { model, sent } = at(name, `case:${answer}`);
      const error = await rejection(model.generate("Hello"));
      expect(error).toMatchObject({ name: "UPPError", code, statusCode, provider: name, modality: "llm" });
      expect(await sent()).toHaveLength(1);
    },
  );

  it.each([
    ["a page", "text/html", "<html><body>Sign in</body></html>", "a page in place of a stream: Sign in"],
    ["a foreign document", "application/json", '{"status":"ok"}', "one document in place of a stream"],
    ["a foreign list", "application/json", '[{"status":"ok"}]', "one document in place of a stream"],
    ["an answer without choices", "application/json", '{"id":"1","choices":[]}', "one document in place of a stream"],
    ["an event that is no JSON", "text/event-stream", "data: {no JSON\n\n", "a piece of its answer that is no JSON"],
  ])("The turn ends with INVALID_RESPONSE if the response is %s", async (_name, type, body, message) => {
    const answered = (): Promise<Response> =>
      Promise.resolve(new Response(body, { headers: { "content-type": type } }));
    const { model } = at(name, "case:text", { connection: { fetch: answered } });
    const error = await rejection(model.generate("Hello"));
    expect(error).toMatchObject({ code: "INVALID_RESPONSE", message: expect.stringContaining(message) });
    expect((error as { statusCode?: number }).statusCode).toBeUndefined();
  });

  it("The turn ends with NETWORK_ERROR if the connection ends in the middle of an answer", async () => {
    const { model } = at(name, "case:text", { connection: { headers: { "x-server-break": "120" } } });
    expect(await rejection(model.generate("Hello"))).toMatchObject({
      code: "NETWORK_ERROR",
      message: expect.stringMatching(/^The connection to 127\.0\.0\.1:\d+ broke before the answer was complete\.$/),
    });
  });

  it("The turn ends with TIMEOUT if the provider sends nothing for longer than the timeout", async () => {
    const { model } = at(name, "case:text", { connection: { timeout: 50, headers: { "x-server-hold": "0" } } });
    expect(await rejection(model.generate("Hello"))).toMatchObject({ code: "TIMEOUT" });
  });

  it("An abort closes the connection and ends the turn with CANCELLED", async () => {
    const id = `upp-abort-${name}`;
    const { model } = at(name, "case:text", { connection: { headers: { "x-server-hold": "100", "x-server-id": id } } });
    const stream = model.stream("Hello");
    const closed = fetch(`${server.url}/__closed?id=${id}`);
    // The request has arrived once the server has recorded it.
    for (let sent = 0; sent === 0;) {
      sent = ((await (await fetch(`${server.url}/__requests?id=${id}`)).json()) as unknown[]).length;
    }
    stream.abort();
    expect(await rejection(stream.turn)).toMatchObject({ code: "CANCELLED" });
    expect(await (await closed).json()).toEqual({ complete: false });
  });

  it("Input and options that the model does not support, and invalid options, are refused before a request is sent", async () => {
    const { config, sent } = connection(name);
    const limited = providers[name]("case:text", {
      capabilities: { tools: false, imageInput: false, audioInput: false, structuredOutput: false },
    });
    const refused = async (options: Partial<LLMOptions>, input: UserMessage = new UserMessage("Hi")) =>
      expect(await rejection(llm({ model: limited, config, ...options }).generate(input))).toMatchObject({
        code: "INVALID_REQUEST",
        provider: name,
      });
    const image = { type: "image", source: { type: "bytes", data: new Uint8Array(1) }, mimeType: "image/png" } as const;
    await refused({ tools: [weather] });
    await refused({ structure: { type: "object" } });
    await refused({}, new UserMessage([image]));
    await refused({}, new UserMessage([{ type: "audio", data: new Uint8Array(1), mimeType: "audio/wav" }]));
    await refused({}, new UserMessage([{ type: "binary", data: new Uint8Array(1), mimeType: "application/zip" }]));
    await refused({ params: { model: "another" } });
    await refused({ toolStrategy: { maxIterations: -1 } });
    expect(await sent()).toEqual([]);
  });

  it("A request uses the key, the headers and the fetch of the connection settings, and contains the params", async () => {
    const urls: string[] = [];
    const keys = ["key-a", "key-b"];
    const settings: ProviderConfig = {
      apiKey: () => Promise.resolve(keys.shift() ?? ""),
      headers: { "x-team": "blue" },
      fetch: (input, init) => {
        urls.push(input instanceof Request ? input.url : String(input));
        return fetch(input, init);
      },
    };
    const { model, sent } = at(name, "case:text", { connection: settings, params: { made_up: { by: "us" } } });
    await model.generate("One");
    await model.generate("Two");
    const requests = await sent();
    expect(requests.map(({ headers }) => headers["x-team"])).toEqual(["blue", "blue"]);
    expect(requests.map(({ body }) => body["made_up"])).toEqual([{ by: "us" }, { by: "us" }]);
    const credentials = requests.map(({ headers }) => JSON.stringify(headers));
    expect([credentials[0]?.includes("key-a"), credentials[1]?.includes("key-b")]).toEqual([true, true]);
    expect(urls).toHaveLength(2);
  });

  it("Each of several concurrent turns of one model uses the key and the fetch of its own settings", async () => {
    const sent: string[] = [];
    const { promise: bothSent, resolve } = deferred<void>();
    const model = providers[name]("some-model");
    const turnOf = (own: string) => {
      const record: typeof fetch = async (_input, init) => {
        const keys = JSON.stringify([...new Headers(init?.headers)]);
        sent.push(`${own} ${["first-key", "second-key"].filter((key) => keys.includes(key)).join()}`);
        if (sent.length === 2) resolve();
        await bothSent;
        return Response.json({ error: { message: `refused ${own}` } }, { status: 400 });
      };
      return rejection(llm({ model, config: { apiKey: `${own}-key`, fetch: record } }).generate("Hello."));
    };
    const errors = await Promise.all([turnOf("first"), turnOf("second")]);
    expect(sent.toSorted()).toEqual(["first first-key", "second second-key"]);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("refused first") as string }),
      expect.objectContaining({ message: expect.stringContaining("refused second") as string }),
    ]);
  });

  it("A turn without an API key ends with AUTHENTICATION_FAILED before a request, and the error names the variable to set", async () => {
    const { config, sent } = connection(name);
    const { apiKey: _, ...without } = config;
    const variable = `${name.toUpperCase()}_API_KEY`;
    expect(process.env[variable]).toBeUndefined();
    const error = await rejection(llm({ model: providers[name]("case:text"), config: without }).generate("Hello"));
    expect(error).toMatchObject({ code: "AUTHENTICATION_FAILED", message: expect.stringContaining(variable) });
    expect(await sent()).toEqual([]);
  });

  it("If the function for the API key fails, the turn ends with AUTHENTICATION_FAILED, and the function's error is the cause", async () => {
    const cause = new Error("The vault is closed.");
    const { model, sent } = at(name, "case:text", { connection: { apiKey: { getKey: () => Promise.reject(cause) } } });
    expect(await rejection(model.generate("Hello"))).toMatchObject({
      code: "AUTHENTICATION_FAILED",
      provider: name,
      cause,
    });
    expect(await sent()).toEqual([]);
  });
});

it.each([
  [402, "QUOTA_EXCEEDED"],
  [403, "AUTHENTICATION_FAILED"],
  [408, "TIMEOUT"],
  [409, "INVALID_REQUEST"],
  [422, "INVALID_REQUEST"],
  [451, "CONTENT_FILTERED"],
  [418, "PROVIDER_ERROR"],
])("A response with the status %i ends the turn with a UPPError with the code %s", async (status, code) => {
  const refused = (): Promise<Response> => Promise.resolve(Response.json({ error: { message: "No." } }, { status }));
  const { model } = at("openai", "case:text", { connection: { fetch: refused } });
  expect(await rejection(model.generate("Hello"))).toMatchObject({
    code,
    statusCode: status,
    message: expect.stringMatching(/^No\./),
  });
});

it("Signed reasoning of an earlier turn is sent again to its provider", async () => {
  const { model, sent } = at("anthropic", "case:thinking|text");
  const first = await model.generate("Think.");
  expect(first.response.reasoning.map(({ text }) => text).join("")).not.toBe("");
  await model.generate(first.messages, "Go on.");
  const signature = JSON.stringify(first.response.metadata);
  const [, second] = await sent();
  expect(signature).toContain("signature");
  expect(JSON.stringify(second?.body["messages"])).toMatch(/"type":"thinking".*"signature"/);
});

it("Images and documents are sent to the provider, whether their source is bytes, base64, a URL or text", async () => {
  const { model, sent } = at("anthropic", "case:text");
  const data = "AQID";
  const png = { type: "image", mimeType: "image/png" } as const;
  const pdf = { type: "document", mimeType: "application/pdf", title: "report.pdf" } as const;
  await model.generate(
    "Look.",
    { ...png, source: { type: "bytes", data: new Uint8Array([1, 2, 3]) } },
    { ...png, source: { type: "base64", data } },
    { ...png, source: { type: "url", url: "https://example.com/a.png" } },
    { ...pdf, source: { type: "base64", data } },
    { ...pdf, source: { type: "url", url: "https://example.com/a.pdf" } },
    { type: "document", mimeType: "text/plain", title: "note.txt", source: { type: "text", data: "Grüße" } },
  );
  const [request] = await sent();
  const [message] = (request?.body["messages"] ?? []) as {
    content: { type: string; source?: unknown; text?: string }[];
  }[];
  const bytes = { type: "base64", media_type: "image/png", data };
  expect(message?.content).toMatchObject([
    { type: "text", text: "Look." },
    { type: "image", source: bytes },
    { type: "image", source: bytes },
    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data } },
    { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
    { type: "document", title: "note.txt", source: { type: "text", media_type: "text/plain", data: "Grüße" } },
  ]);
});

it("A document is refused before a request if the provider does not accept its type, and a CSV document is sent", async () => {
  const { model, sent } = at("anthropic", "case:text");
  const sheet = {
    type: "document",
    mimeType: "application/vnd.ms-excel",
    source: { type: "base64", data: "AQID" },
  } as const;
  expect(await rejection(model.generate(sheet))).toMatchObject({ code: "INVALID_REQUEST" });
  expect(await sent()).toEqual([]);
  await model.generate({ ...sheet, mimeType: "text/csv" });
  expect(await sent()).toHaveLength(1);
});

it("A tool call gets an error result if the tool returns an image as a URL, and a history with such a result is refused with INVALID_REQUEST", async () => {
  const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" }, mimeType: "image/png" };
  const { model, sent } = at("anthropic", "case:tool-call|text", { tools: [{ ...weather, run: () => [image] }] });
  const turn = await model.generate("How is the weather?");
  expect(turn.toolExecutions).toMatchObject([{ isError: true, result: expect.stringContaining("Return its bytes") }]);
  const before = await sent();
  const call = { toolCallId: "call-1", toolName: "get_weather", arguments: {} };
  const history = [
    new UserMessage("Look."),
    new AssistantMessage("", [call]),
    new ToolResultMessage([{ toolCallId: "call-1", result: [image] }]),
  ];
  expect(await rejection(model.generate(history, "And?"))).toMatchObject({ code: "INVALID_REQUEST" });
  expect(await sent()).toEqual(before);
});
