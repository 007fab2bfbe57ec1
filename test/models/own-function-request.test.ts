// A provider of a project that is a function: the request that it receives, and an abort of the request.

import { describe, expect, it } from "vitest";

import { createModelPort } from "#models/create-model-port.ts";
import { defineProvider, type ProviderRequest } from "#spec/index.ts";

import {
  askStream,
  failureOf,
  finish,
  named,
  weather,
  yields,
  type StreamRequest,
  type Stream,
} from "./ask-function.ts";
import { callAndResult, message, readAnswer, request, user } from "./ask-model.ts";
import { ownModel } from "./own-providers.ts";

describe("the request of a function", () => {
  /** The request that the function receives. */
  async function received(requested: StreamRequest): Promise<ProviderRequest> {
    const requests: ProviderRequest[] = [];
    const stream: Stream = async function* (given) {
      requests.push(given);
      yield { type: "text", text: "{}" };
      yield finish;
    };
    await askStream(stream, requested);
    const [first] = requests;
    if (first === undefined) throw new Error("the function was not called");
    return first;
  }

  it("PROVIDER6 A function receives the system prompt, messages, images, calls with their results, and tools", async () => {
    const image = { type: "image" as const, mime_type: "image/png", data: "iVBORw0KGgo=" };
    const failed = message("tool", {
      name: "get_weather",
      tool_call_id: "call_2",
      result: { status: "error", error: "no such city" },
    });
    const second = message("assistant", {
      parts: [{ type: "tool_call", id: "call_2", name: "get_weather", arguments: { city: "X" } }],
    });
    const given = await received({
      more: {
        messages: [
          message("user", { parts: [{ type: "text", text: "Look" }, image] }),
          ...callAndResult("call_1"),
          second,
          failed,
          user("And?"),
        ],
        tools: [weather],
        toolChoice: "required",
        parallelToolCalls: false,
        temperature: 0.25,
        maxTokens: 4321,
        reasoning: { effort: "low" },
      },
    });
    const { signal, ...rest } = given;
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(rest).toEqual({
      model: "m-1",
      system: "Be brief.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "tool_call", id: "call_1", name: "get_weather", arguments: { city: "Oslo" } }],
        },
        {
          role: "tool",
          callId: "call_1",
          name: "get_weather",
          content: [{ type: "text", text: "sunny" }],
          isError: false,
        },
        {
          role: "assistant",
          content: [{ type: "tool_call", id: "call_2", name: "get_weather", arguments: { city: "X" } }],
        },
        {
          role: "tool",
          callId: "call_2",
          name: "get_weather",
          content: [{ type: "text", text: "no such city" }],
          isError: true,
        },
        { role: "user", content: [{ type: "text", text: "And?" }] },
      ],
      tools: [
        {
          name: "get_weather",
          description: "Weather",
          parameters: expect.objectContaining({ type: "object" }) as object,
        },
      ],
      toolChoice: "required",
      parallelToolCalls: false,
      temperature: 0.25,
      maxTokens: 4321,
      thinking: { effort: "low", tokens: 512 },
      structure: null,
    });
  });

  it("PROVIDER6 A function may change its request, and the next request is not changed", async () => {
    const stream: Stream = async function* (given) {
      for (const tool of given.tools) Object.assign(tool.parameters, { type: "changed" });
      Object.assign(given, { system: "changed" });
      yield finish;
    };
    await askStream(stream, { more: { tools: [weather] } });
    expect((await received({ more: { tools: [weather] } })).tools[0]?.parameters).toMatchObject({ type: "object" });
  });

  it("PROVIDER6 A structured answer is asked for by its schema if the model supports that, else as the arguments of a tool", async () => {
    const structure = { name: "verdict", schema: { type: "object" as const, properties: { ok: { type: "boolean" } } } };
    const native = await received({ more: { structure }, model: { capabilities: { structuredOutputs: true } } });
    expect(native).toMatchObject({ structure: { name: "verdict", schema: { type: "object" } }, tools: [] });
    const forced = await received({ more: { structure } });
    expect(forced).toMatchObject({ structure: null, tools: [{ name: "verdict" }], toolChoice: { name: "verdict" } });
    const call = { type: "tool_call", id: "a", name: "verdict", arguments: { ok: true } };
    const parts = await askStream(yields(call, { type: "finish", reason: "tool_calls" }), { more: { structure } });
    expect(readAnswer(parts).end).toMatchObject({ type: "finish", data: { ok: true } });
  });

  it("PROVIDER6 A function receives files of the media types that its provider names, and a line of text for other files", async () => {
    const pdf = { type: "file" as const, mime_type: "application/pdf", name: "a.pdf", data: "JVBERi0=" };
    const more = { messages: [message("user", { parts: [pdf] })] };
    const [named] = (await received({ more, files: ["application/pdf"] })).messages;
    expect(named).toMatchObject({
      content: [{ type: "file", mimeType: "application/pdf", name: "a.pdf", data: "JVBERi0=" }],
    });
    const [other] = (await received({ more })).messages;
    expect(other).toMatchObject({ content: [{ type: "text", text: expect.stringContaining("a.pdf") as string }] });
  });
});

describe("an abort of a function", () => {
  it("PROVIDER11 An abort ends the answer of a function that ignores its signal and never yields again", async () => {
    const control = new AbortController();
    const stream: Stream = async function* () {
      yield { type: "text", text: "Hi" };
      control.abort();
      await new Promise(() => undefined);
    };
    expect(readAnswer(await askStream(stream, { signal: control.signal })).end).toMatchObject({
      failure: { kind: "aborted" },
    });
  });

  it("PROVIDER11 A request of the context's fetch is aborted with the model request, also without a signal", async () => {
    const control = new AbortController();
    const signals: (AbortSignal | null | undefined)[] = [];
    const paused = new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("a")) });
    const fetch: typeof globalThis.fetch = (_input, init) => {
      signals.push(init?.signal);
      return Promise.resolve(new Response(paused));
    };
    const stream: Stream = async function* (_request, context) {
      const response = await context.fetch("https://m.example/", { signal: new AbortController().signal });
      for await (const _bytes of response.body ?? []) {
        yield { type: "text", text: "Hi" };
        control.abort();
      }
      yield finish;
    };
    await askStream(stream, { signal: control.signal, fetch });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it("PROVIDER11 The function's own cleanup runs when the reader leaves early", async () => {
    let isClosed = false;
    const stream: Stream = async function* () {
      try {
        for (;;) yield { type: "text", text: "Hi" };
      } finally {
        isClosed = true;
      }
    };
    const definition = defineProvider({ name: "mine", stream: stream as never });
    const port = createModelPort({ env: {}, fetch });
    for await (const part of port.stream(request(ownModel(definition)), new AbortController().signal))
      if (part.type === "text_delta") break;
    expect(isClosed).toBe(true);
  });

  it("PROVIDER12 A response of the context's fetch is read up to 32 MiB", async () => {
    const mib = new Uint8Array(1024 * 1024);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(mib);
      },
    });
    const stream: Stream = async function* (_request, context) {
      const response = await context.fetch("https://m.example/");
      for await (const _bytes of response.body ?? []) yield { type: "text", text: "" };
      yield finish;
    };
    expect(await failureOf(stream, { fetch: () => Promise.resolve(new Response(body)) })).toMatchObject({
      message: `The server sent more than 32 MiB in one response.${named}`,
    });
    expect(sent).toBeLessThan(40);
  });
});
