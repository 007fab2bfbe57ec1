// Values that a program in JavaScript may pass or return by mistake, and values that change after they were passed.

import { describe, expect, it, vi } from "vitest";

import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { ProviderConfig } from "#facade/upp/model-reference.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "#facade/upp/upp-message.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

import { call, gate, instance, rejection, tool } from "./support/scripted-llm.ts";

const once = [{ toolCalls: [call("write", { path: "/safe" })] }, { text: "Done." }];
const refused = (message: string) => ({
  name: "UPPError",
  code: "INVALID_REQUEST",
  message: expect.stringContaining(message),
});

describe("decisions about a call", () => {
  it.each([undefined, null, 0, 1, "", "no"])(
    "An approval that returns %j ends the turn, and the tool does not run",
    async (value) => {
      const run = vi.fn();
      const approval = (() => value) as unknown as NonNullable<Tool["approval"]>;
      const error = await rejection(instance(once, { tools: [tool("write", run, { approval })] }).generate("Go."));
      expect(error).toMatchObject(refused('The approval of "write" has to return true or false'));
      expect(run).not.toHaveBeenCalled();
    },
  );

  it.each([null, 1, {}, { proceed: "yes" }])(
    "An onBeforeCall that returns %j ends the turn, and the tool does not run",
    async (value) => {
      const run = vi.fn();
      const onBeforeCall = () => value as unknown as boolean;
      const model = instance(once, { tools: [tool("write", run)], toolStrategy: { onBeforeCall } });
      expect(await rejection(model.generate("Go."))).toMatchObject(refused('onBeforeCall for "write"'));
      expect(run).not.toHaveBeenCalled();
    },
  );

  it("A tool runs with the approved arguments, although the approval function changes the arguments that it received", async () => {
    const ran: unknown[] = [];
    const change = (params: Record<string, unknown>): void => {
      setTimeout(() => (params["path"] = "/etc/passwd"));
      params["path"] = "/etc/passwd";
    };
    const write = tool("write", (params) => ran.push({ ...params }), {
      approval(params) {
        const approved = params["path"] === "/safe";
        change(params);
        return approved;
      },
    });
    const turn = await instance(once, { tools: [write] }).generate("Go.");
    expect(ran).toEqual([{ path: "/safe" }]);
    expect(turn.toolExecutions).toMatchObject([{ arguments: { path: "/safe" }, approved: true }]);
  });

  it("A tool does not run if the turn was aborted while its approval was awaited", async () => {
    const run = vi.fn();
    const [requested, answered] = [gate(), gate()];
    const approval = async () => {
      requested.open();
      await answered.passed;
      return true;
    };
    const abort = new AbortController();
    const model = instance(once, { tools: [tool("write", run, { approval })], signal: abort.signal });
    const ended = rejection(model.generate("Go."));
    await requested.passed;
    abort.abort();
    expect(await ended).toMatchObject({ code: "CANCELLED" });
    answered.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(run).not.toHaveBeenCalled();
  });
});

describe("messages and tools", () => {
  it.each([[{ role: "user", content: "x" }], [42], [null], [JSON.parse(JSON.stringify(new UserMessage("x")))]])(
    "An input that is no message is refused: %j",
    async (input) => {
      const model = instance([{ text: "Hi." }]);
      expect(await rejection(model.generate(input as never))).toMatchObject(refused("is not a message of UPP"));
    },
  );

  it.each([42, null, undefined, { type: "text", text: "x" }])(
    "Content that is neither text nor list is refused: %j",
    (content) => {
      for (const create of [
        () => new UserMessage(content as never),
        () => new AssistantMessage(content as never),
        () => new ToolResultMessage(content as never),
      ])
        expect(create).toThrow(
          expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining("a list") }),
        );
    },
  );

  it("A message with an invalid time is refused", async () => {
    const message = new UserMessage("x", { timestamp: new Date(Number.NaN) });
    expect(await rejection(instance([{ text: "Hi." }]).generate(message))).toMatchObject(refused("Message 1 is not"));
  });

  it("An empty text is refused with and without a history", async () => {
    const history = [new UserMessage("Hi."), new AssistantMessage("Hello.")];
    for (const before of [[], history])
      expect(await rejection(instance([{ text: "Hi." }]).generate(before, ""))).toMatchObject(
        refused("The input is empty"),
      );
  });

  it.each([
    ["without a name", { description: "d", parameters: { type: "object" }, run: String }],
    ["without a function", { name: "x", description: "d", parameters: { type: "object" } }],
    ["without parameters", { name: "x", description: "d", run: String }],
  ])("A tool %s is refused before a request", async (_case, wrong) => {
    const model = instance([{ text: "Hi." }], { tools: [wrong as unknown as Tool] });
    expect(await rejection(model.generate("Go."))).toMatchObject({ code: "INVALID_REQUEST" });
  });

  it.each([
    ["Map", () => new Map([["a", 1]])],
    ["Set", () => new Set([1])],
    ["Response", () => new Response("x")],
    ["Error", () => new Error("x")],
    ["Uint8Array", () => new Uint8Array(2)],
  ])("A call has an error result that names the class if its tool returns a %s", async (name, result) => {
    const turn = await instance(once, { tools: [tool("write", result)] }).generate("Go.");
    expect(turn.toolExecutions).toMatchObject([{ isError: true, result: expect.stringContaining(`is a ${name}`) }]);
  });

  it("A call has an error result if its tool returns a value nested in more than 400 levels, so that each stored message can be restored", async () => {
    const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}"x"${"]".repeat(levels)}`);
    for (const [levels, isError] of [
      [400, false],
      [401, true],
    ] as const) {
      const turn = await instance(once, { tools: [tool("write", () => nested(levels))] }).generate("Go.");
      expect(turn.toolExecutions).toMatchObject([{ isError }]);
    }
  });
});

describe("settings of the connection", () => {
  /** The address and the key of the request of a turn. */
  async function requestWith(config: object): Promise<unknown> {
    const requested: unknown[] = [];
    const fetch = ((input: string, init: RequestInit) => {
      requested.push([new URL(input).host, new Headers(init.headers).get("authorization")]);
      return Promise.resolve(new Response("{}", { status: 400 }));
    }) as typeof globalThis.fetch;
    const provider = createProvider({
      protocol: "openai",
      baseUrl: "https://proxy.example/v1",
      apiKey: "proxy-key",
      fetch,
    });
    const error = await rejection(llm({ model: provider("m"), config: config as ProviderConfig }).generate("Hi."));
    return requested[0] ?? error;
  }

  it.each([{ baseUrl: undefined }, { apiKey: undefined }, { fetch: undefined }])(
    "An undefined setting does not replace the provider's setting: %j",
    async (config) => {
      expect(await requestWith(config)).toEqual(["proxy.example", "Bearer proxy-key"]);
    },
  );

  it.each([
    ["an empty key", ""],
    ["a function that returns no key", () => undefined],
    ["a strategy that returns an empty key", { getKey: () => Promise.resolve(" ") }],
    ["a number", 7],
  ])("With %s as the API key, no request is sent, also if the environment has a key", async (_case, apiKey) => {
    vi.stubEnv("OPENAI_API_KEY", "key-of-the-environment");
    expect(await requestWith({ apiKey })).toMatchObject({ code: "AUTHENTICATION_FAILED" });
    vi.unstubAllEnvs();
  });

  it("An abort ends a turn whose key function never resolves", async () => {
    const requested = gate();
    const abort = new AbortController();
    const apiKey = () => {
      requested.open();
      return new Promise<string>(() => {});
    };
    const model = createProvider({ protocol: "openai", apiKey })("m");
    const ended = rejection(llm({ model, signal: abort.signal }).generate("Hi."));
    await requested.passed;
    abort.abort();
    expect(await ended).toMatchObject({ code: "CANCELLED" });
  });

  it.each([
    [undefined, { code: "PROVIDER_ERROR" }],
    [Number.NaN, refused("onRetry of the retry strategy")],
    [-5, refused("onRetry of the retry strategy")],
    [true, refused("onRetry of the retry strategy")],
  ])("A retry strategy whose onRetry returns %j repeats no request", async (delay, expected) => {
    let requests = 0;
    const fetch = () => {
      requests += 1;
      return Promise.resolve(new Response("{}", { status: 500 }));
    };
    const retryStrategy = { onRetry: () => delay as unknown as number };
    const model = createProvider({
      protocol: "openai",
      apiKey: "key",
      fetch: fetch as typeof globalThis.fetch,
      retryStrategy,
    })("m");
    expect(await rejection(llm({ model }).generate("Hi."))).toMatchObject(expected);
    expect(requests).toBe(1);
  });
});

it("After a reader has called return, the next read reports the end of the stream", async () => {
  const reader = instance(once, { tools: [tool("write", () => "")] })
    .stream("Go.")
    [Symbol.asyncIterator]();
  await reader.next();
  await reader.return?.();
  expect(await reader.next()).toEqual({ done: true, value: undefined });
});
