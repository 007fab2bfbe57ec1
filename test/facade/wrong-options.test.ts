// Options and blocks that a program in JavaScript may set to a wrong value: each is refused before a request, by its name.

import { describe, expect, it, vi } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { InferenceInput, LLMOptions } from "#facade/upp/llm.ts";
import type { ProviderConfig } from "#facade/upp/model-reference.ts";
import { exponentialBackoff } from "#facade/upp/retry-strategies.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";
import { Thread } from "#facade/upp/upp-thread.ts";

import { instance, rejection, tool } from "./support/scripted-llm.ts";

const refused = (message: string) => ({ code: "INVALID_REQUEST", message: expect.stringContaining(message) });

/** Runs a turn with the options of a program in JavaScript, and returns its error. No request may be sent. */
async function errorOf(options: object, input: unknown = "Go."): Promise<unknown> {
  const fetch = vi.fn();
  const model = createProvider({ protocol: "openai", apiKey: "key", fetch })("m");
  const error = await rejection(
    (async () => llm({ model, ...options } as LLMOptions).generate(input as InferenceInput))(),
  );
  expect(fetch).not.toHaveBeenCalled();
  return error;
}

const wrongOptions: [object, string][] = [
  [{ structure: null }, 'structure has to be a JSON Schema with "type": "object"'],
  [{ structure: { type: "array" } }, 'structure has to be a JSON Schema with "type": "object"'],
  [{ params: { top_k: 5n } }, "params cannot be converted to JSON"],
  [{ params: [] }, "params has to be an object with fields of the provider's API; it is a list"],
  [{ params: "x" }, "params has to be an object"],
  [{ system: 5 }, "system has to be a text; it is number"],
  [{ system: ["x"] }, "system has to be a text; it is a list"],
  [{ tools: tool("add", String) }, "tools has to be a list"],
  [{ tools: [tool("add", String, { dependsOn: "b" as never })] }, 'dependsOn of the tool "add" has to be a list'],
  [{ tools: [tool("add", String, { parameters: { type: "array" } })] }, "tools.0 is not a tool"],
  [{ toolStrategy: { maxIterations: 0.5 } }, "maxIterations has to be a whole number"],
  [{ toolStrategy: { maxIterations: "2" } }, "maxIterations has to be a whole number"],
  [{ in: null }, "The option `in` takes the state that a tool's function receives"],
  [{ in: {} }, "The option `in` takes the state that a tool's function receives"],
  [{ signal: new AbortController() }, "signal has to be an AbortSignal"],
  [{ config: { timeout: 0 } }, "config.timeout has to be milliseconds above 0"],
  [{ config: { timeout: -1 } }, "it is -1"],
  [{ config: { timeout: Number.NaN } }, "it is NaN"],
  [{ config: { baseUrl: "nonsense" } }, "config.baseUrl has to be an address"],
  [{ config: { baseUrl: "https://host.example/v1?x=1" } }, "has no query"],
  [{ config: { fetch: {} } }, "config.fetch has to be a function; it is object"],
  [{ config: { headers: { "x-a": "one\ntwo" } } }, 'config.headers has an invalid header "x-a"'],
  [{ config: { retryStrategy: exponentialBackoff } }, "Call it, as in exponentialBackoff()"],
  [{ config: { retryStrategy: {} } }, "config.retryStrategy has no function onRetry"],
];

it.each(wrongOptions.map(([options, message]) => ({ options, message })))(
  "A wrong option is refused before a request, and the error states: $message",
  async ({ options, message }) => {
    expect(await errorOf(options)).toMatchObject(refused(message));
  },
);

it.each([Number.POSITIVE_INFINITY, 2 ** 31, 1])("A timeout of %d ms is a legal option", async (timeout) => {
  const fetch = () => Promise.resolve(new Response("no", { status: 401 }));
  const config: ProviderConfig = { apiKey: "key", fetch, timeout };
  const model = createProvider({ protocol: "openai" })("m");
  expect(await rejection(llm({ model, config }).generate("Go."))).toMatchObject({ code: "AUTHENTICATION_FAILED" });
});

it("An error about a header does not contain the header's value", async () => {
  const error = await errorOf({ config: { headers: { authorization: "secret-1\nx" } } });
  expect(String(error)).not.toContain("secret-1");
});

it("A call of llm without options is refused, and the error states that llm needs a model", () => {
  expect(() => llm(undefined as unknown as LLMOptions)).toThrow(expect.objectContaining(refused("llm needs a model")));
});

it("A key that is an object without getKey is refused, and the error names the three forms of a key", async () => {
  expect(await errorOf({ config: { apiKey: {} } })).toMatchObject({
    code: "AUTHENTICATION_FAILED",
    message: expect.stringContaining("a text, a function, or an object with a function getKey"),
  });
});

it("If the function fetch returns no response, the turn ends with INVALID_REQUEST, and the request is not repeated", async () => {
  const fetch = vi.fn();
  const config: ProviderConfig = { apiKey: "key", fetch, retryStrategy: { onRetry: () => 0 } };
  const model = createProvider({ protocol: "openai" })("m");
  expect(await rejection(llm({ model, config }).generate("Go."))).toMatchObject(
    refused("config.fetch has to return a Response; it returned undefined"),
  );
  expect(fetch).toHaveBeenCalledTimes(1);
});

const wrongBlocks: [unknown, string][] = [
  [{ type: "image", mimeType: "image/png" }, "the source of image has to be an object"],
  [{ type: "image", mimeType: "image/png", source: { type: "base64", data: "%%" } }, "is not base64"],
  [{ type: "image", mimeType: "image/png", source: { type: "url" } }, "the url of its source has to be a text"],
  [{ type: "image", source: { type: "url", url: "https://a.example/b.png" } }, "the mimeType of image"],
  [{ type: "image", mimeType: "image/png", source: { type: "bytes", data: "AAAA" } }, "has to be a Uint8Array"],
  [{ type: "document", mimeType: "text/plain", source: { type: "bytes", data: "x" } }, "the source of document"],
  [{ type: "audio", mimeType: "audio/mpeg", data: "AAAA" }, "the data of audio has to be a Uint8Array; it is string"],
  [{ type: "audio", mimeType: "audio/mpeg", data: new ArrayBuffer(8) }, "pass new Uint8Array(data)"],
  [{ type: "video", mimeType: "video/mp4", data: new Uint8Array(1), width: Number.NaN }, "its width"],
  [{ type: "text" }, "its text has to be a text"],
];

describe("blocks with wrong fields", () => {
  it.each(wrongBlocks)(
    "The wrong block %j is refused before a request, alone and in a message",
    async (block, problem) => {
      const message = new UserMessage([block as never]);
      for (const input of [block, message]) expect(await errorOf({}, input)).toMatchObject(refused(problem));
    },
  );
});

it.each<[string, ConstructorParameters<typeof UserMessage>[1], string]>([
  ["without a valid time", { timestamp: new Date(Number.NaN) }, "timestamp"],
  ["of a year above 9999", { timestamp: new Date(Date.UTC(10_000, 0)) }, "timestamp"],
  ["with an empty id", { id: "" }, "id"],
  ["with metadata that is no object", { metadata: { source: "web" } as never }, "metadata"],
])("A state refuses a message %s, which could not be restored from the state's JSON", (_case, options, name) => {
  const message = new UserMessage("Hi.", options);
  expect(() => AgentState.initial().withMessage(message)).toThrow(expect.objectContaining(refused(`its ${name} has`)));
});

it("A thread can append a turn of 200,000 messages", () => {
  const messages = Array.from({ length: 200_000 }, () => new UserMessage("x", { id: "m" }));
  expect(new Thread().append({ messages }).length).toBe(200_000);
});

it("If a tool throws a value that cannot be converted to text, the error result states this", async () => {
  const fail = tool("fail", () => {
    throw Object.create(null);
  });
  const turn = await instance([{ toolCalls: [{ name: "fail", arguments: {} }] }, { text: "Done." }], {
    tools: [fail],
  }).generate("Go.");
  expect(turn.toolExecutions).toMatchObject([{ isError: true, result: "a value that cannot be converted to text" }]);
});
