// The ends of answers: without a reason, with an unknown one or a refusal, and connections that stay open after the answer.

import { describe, expect, inject, it, vi } from "vitest";

import type { ModelPort } from "#core/ports/model-port.ts";
import type { Timers } from "#lib/timers.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { thinksInSilence } from "#models/silent-thinking.ts";

import { ask, collect, keys, model, readAnswer, request, serverEnv, serverPort } from "./ask-model.ts";
import type { Provider } from "./ask-model.ts";
import { bytesOf } from "./fixture-bytes.ts";
import { grammarFaults } from "./grammar.ts";

const signal = new AbortController().signal;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("stop reasons", () => {
  it("An answer that ends with [DONE] and without a finish reason is complete", async () => {
    const parts = await ask("openai", "no-reason");
    expect(grammarFaults(parts)).toEqual([]);
    const { text, end } = readAnswer(parts);
    expect(text).toBe("Hello there.");
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop", usage: { input: 12, output: 8 } });
  });

  it("An answer with an unknown stop reason is a retryable failure", async () => {
    const { end } = readAnswer(await ask("openai", "unknown-reason"));
    expect(end).toMatchObject({ type: "error", failure: { kind: "api", retryable: true }, usage: { input: 12 } });
    expect(JSON.stringify(end)).toContain("insufficient_system_resource");
  });

  it("A finish reason is recognised also under the names that other servers use for it", async () => {
    const { end } = readAnswer(await ask("openai", "other-words"));
    expect(end).toMatchObject({ type: "finish", stop_reason: "length" });
  });

  it.for([
    ["openai", "filtered", undefined],
    ["anthropic", "refusal", "This request is against the usage policy; [redacted] was not used."],
    ["bedrock", "refusal", "guardrail_intervened: Guardrail blocked; [redacted] was not used."],
    ["google", "blocked", "PROHIBITED_CONTENT: The prompt names a weapon."],
  ] as const)(
    "A blocked answer of %s (case %s) ends with the stop reason content_filter",
    async ([provider, name, detail]) => {
      const { text, end } = readAnswer(await ask(provider, name));
      expect(text).toBe("");
      expect(end).toMatchObject({ type: "finish", stop_reason: "content_filter" });
      expect(end.type === "finish" ? end.stop_detail : null).toBe(detail);
    },
  );

  it("A provider's text about the end of an answer is bounded and contains no secrets", async () => {
    const chunk = (choice: object): string => `data: ${JSON.stringify({ id: "c", choices: [choice] })}\n\n`;
    const reason = `${keys.OPENAI_API_KEY} ${"x".repeat(5000)}`;
    const sse = `${chunk({ index: 0, delta: { content: "Hel" }, finish_reason: reason })}data: [DONE]\n\n`;
    const { end } = readAnswer(await collect(portOver(new Response(sse).body ?? empty, stays).stream(plain, signal)));
    const said = end.type === "finish" ? (end.stop_detail ?? "") : "";
    expect(said).toContain("[redacted]");
    expect(said.length).toBeLessThanOrEqual(500);
  });

  it("An answer that contains only an image does not count as blank", async () => {
    const parts = await ask("google", "picture");
    const waitFor = parts.some((part) => part.type === "finish" && part.has_other_content === true);
    expect(waitFor || parts.some((part) => !["raw", "finish"].includes(part.type))).toBe(true);
  });
});

describe("connections that stay open", () => {
  const paused = async (provider: Provider, name = "text") => {
    const id = `held-${provider}-${name}`;
    const { length } = await bytesOf(provider, name);
    const headers = { "x-server-hold": String(length), "x-server-id": id };
    return { id, requested: request(model(provider, `case:${name}`, { headers })) };
  };
  const closed = async (id: string): Promise<unknown> =>
    (await fetch(`${inject("modelServer")}/__closed?id=${id}`)).json();

  it.for([
    "openai",
    "openai-responses",
    "openrouter",
    "anthropic",
    "azure",
    "azure-chat",
    "vertex-claude",
    "bedrock",
  ] as const)("An answer of %s ends with its last event, and its connection is closed", async (provider) => {
    const { id, requested } = await paused(provider);
    const { text, end } = readAnswer(await collect(serverPort({ timers: stays }).stream(requested, signal)));
    expect(text).toBe("Hello there, how can I help?");
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop", usage: { input: 12, output: 8 } });
    expect(await closed(id)).toEqual({ complete: false });
  });

  it("An answer of google ends after two seconds without data after its finish reason, because its protocol has no last event", async () => {
    const { id, requested } = await paused("google");
    const waits: number[] = [];
    const timers: Timers = {
      after(milliseconds, run) {
        waits.push(milliseconds);
        queueMicrotask(run);
        return () => {};
      },
    };
    const { text, end } = readAnswer(await collect(serverPort({ timers }).stream(requested, signal)));
    expect(text).toBe("Hello there, how can I help?");
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop" });
    expect(waits).toEqual([2000]);
    expect(await closed(id)).toEqual({ complete: false });
  });

  it.each([
    ["\\n", "\n"],
    ["\\r\\n", "\r\n"],
    ["\\r", "\r"],
  ])(
    "An answer with line ends %s is complete even if only a part of its last line ends arrives",
    async (_, lineEnd) => {
      const sent = new TextDecoder()
        .decode(await bytesOf("google", "text"))
        .trimEnd()
        .replaceAll(/\r\n|\n/g, lineEnd);
      const rest = `${lineEnd}${lineEnd}${lineEnd}`;
      for (let length = 1; length <= rest.length; length += 1) {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(encode(sent + rest.slice(0, length))),
        });
        const timers: Timers = { after: (_milliseconds, run) => (queueMicrotask(run), () => {}) };
        const requested = request(model("google", "m-1"));
        const { text, end } = readAnswer(await collect(portOver(body, timers).stream(requested, signal)));
        expect({ length, text, end }).toMatchObject({
          length,
          text: "Hello there, how can I help?",
          end: { type: "finish", stop_reason: "stop" },
        });
      }
    },
  );

  it("The last event is passed on although its line end arrives in two pieces and the connection closes before its empty line", async () => {
    const bytes = await bytesOf("google", "text");
    const at = bytes.length - 3;
    const pieces = [bytes.subarray(0, at), bytes.subarray(at, at + 1)];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
    const requested = request(model("google", "m-1"));
    const { text } = readAnswer(await collect(portOver(body, stays).stream(requested, signal)));
    expect(text).toBe("Hello there, how can I help?");
  });

  it("A stream is read after its finish reason until the token counts have arrived", async () => {
    const bytes = await bytesOf("openai", "text");
    const text = new TextDecoder().decode(bytes);
    const at = text.lastIndexOf("data: {");
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        if (pieces === 1) controller.enqueue(encode(text.slice(0, at)));
        else if (pieces === 2) controller.enqueue(encode(text.slice(at)));
      },
    });
    const end = readAnswer(await collect(portOver(body, stays).stream(plain, signal))).end;
    expect(end).toMatchObject({ type: "finish", usage: { input: 12, output: 8 } });
  });

  it("An answer is complete although its connection breaks after the finish reason", async () => {
    const text = new TextDecoder().decode(await bytesOf("openai", "text"));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(encode(text.slice(0, text.lastIndexOf("data: [DONE]"))));
      },
      pull(controller) {
        controller.error(new Error("reset"));
      },
    });
    const { end } = readAnswer(await collect(portOver(body, stays).stream(plain, signal)));
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop", usage: { output: 8 } });
  });

  it.for([
    ["ends", [false, 1]],
    ["sends more", [true, 1]],
    ["stays open", [true, 0]],
  ] as const)(
    "With reused connections, an answer is complete before its body ends; when the body then %s, [is cancelled, stopped timers] is %j",
    async ([rest, expected]) => {
      const bytes = await bytesOf("openai", "text");
      const timers: (() => void)[] = [];
      let disarmed = 0;
      const after = (_milliseconds: number, run: () => void) => {
        timers.push(run);
        return () => void (disarmed += 1);
      };
      let cancelled = false;
      let body: ReadableStreamDefaultController<Uint8Array> | undefined;
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          body = controller;
          controller.enqueue(bytes);
        },
        cancel() {
          cancelled = true;
        },
      });
      const port = portOver(stream, { after }, 200, true);
      expect(readAnswer(await collect(port.stream(plain, signal))).end).toMatchObject({ type: "finish" });
      expect({ cancelled, timers: timers.length }).toEqual({ cancelled: false, timers: 1 });
      if (rest === "ends") body?.close();
      if (rest === "sends more") body?.enqueue(bytes);
      if (rest === "stays open") timers[0]?.();
      await vi.waitUntil(() => cancelled || disarmed > 0);
      expect([cancelled, disarmed]).toEqual(expected);
    },
  );

  it("A text or an argument that contains [DONE] or a finish reason does not end the answer", async () => {
    const words = 'data: [DONE]\n\n"finish_reason":"stop"';
    const chunk = (choice: object): string => `data: ${JSON.stringify({ id: "c", choices: [choice] })}\n\n`;
    const call = {
      index: 0,
      id: "c1",
      type: "function",
      function: { name: "note", arguments: '{"finish_reason":"stop"}' },
    };
    const sse =
      chunk({ index: 0, delta: { content: words }, finish_reason: null }) +
      chunk({ index: 0, delta: { tool_calls: [call] }, finish_reason: null }) +
      chunk({ index: 0, delta: {}, finish_reason: "tool_calls" }) +
      "data: [DONE]\n\n";
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of encode(sse)) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const answer = readAnswer(await collect(portOver(body, stays).stream(plain, signal)));
    expect(answer).toMatchObject({ text: words, calls: [{ name: "note" }], end: { stop_reason: "tool_calls" } });
  });
});

/** A body that sends the same piece forever; it counts its pieces and records when it is no longer read. */
function endless(piece: string) {
  const observed = { pieces: 0, cancelled: false };
  const bytes = encode(piece);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      observed.pieces += 1;
      controller.enqueue(bytes);
    },
    cancel() {
      observed.cancelled = true;
    },
  });
  return { body, observed };
}

describe("bodies without an end", () => {
  const mebibyte = "x".repeat(1024 * 1024);

  it.for([
    ["a line", `data: ${mebibyte}`],
    ["an event of many lines", `data: ${mebibyte}\n`],
  ] as const)(
    "A model's stream fails with a retryable error if it contains %s without an end, and its connection is closed",
    async ([, piece]) => {
      const { body, observed } = endless(piece);
      const { end } = readAnswer(await collect(portOver(body, stays).stream(plain, signal)));
      expect(end).toMatchObject({ type: "error", failure: { kind: "network", retryable: true } });
      expect(observed).toEqual({ pieces: expect.any(Number), cancelled: true });
      expect(observed.pieces).toBeLessThan(40);
    },
  );

  it("An endless error response of a provider is read only up to a limit, and its body is cancelled", async () => {
    const { body, observed } = endless(mebibyte);
    const { end } = readAnswer(await collect(portOver(body, stays, 400).stream(plain, signal)));
    expect(end).toMatchObject({ type: "error", failure: { retryable: false } });
    expect(observed).toEqual({ pieces: expect.any(Number), cancelled: true });
    expect(observed.pieces).toBeLessThan(5);
  });
});

const empty = new ReadableStream<Uint8Array>();

/** Timers that never fire. */
const stays: Timers = { after: () => () => {} };

const plain = request(model("openai", "m-1"));

function portOver(
  body: ReadableStream<Uint8Array>,
  timers: Timers,
  status = 200,
  reusesConnections = false,
): ModelPort {
  const headers = { "content-type": "text/event-stream" };
  const answer = () => Promise.resolve(new Response(body, { status, headers }));
  return createModelPort({
    env: { ...serverEnv("http://127.0.0.1:9"), ...keys },
    fetch: answer as typeof fetch,
    timers,
    reusesConnections,
  });
}

it.for([
  [
    "within a stream is",
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "Hel" } }] })}\n\n`,
  ],
  ["in place of a stream is not", ""],
] as const)("A provider's error of an unknown class %s retried", async ([where, before]) => {
  const event = JSON.stringify({ error: "The runner has stopped." });
  const sse = before === "" ? event : `${before}data: ${event}\n\n`;
  const { end } = readAnswer(await collect(portOver(new Response(sse).body ?? empty, stays).stream(plain, signal)));
  const retryable = where === "within a stream is";
  expect(end).toMatchObject({ failure: { kind: "api", message: "The runner has stopped.", retryable } });
});

describe("bytes that keep a request alive", () => {
  it("The model port reports received bytes also if they complete no part of the answer", async () => {
    let enqueue: (text: string) => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        enqueue = (text) => controller.enqueue(encode(text));
      },
    });
    let reported = 0;
    let next: () => void = () => undefined;
    const received = (): void => {
      reported += 1;
      next();
    };
    const reporting = (): Promise<void> => new Promise((resolve) => (next = resolve));
    const stream = portOver(body, stays).stream(plain, signal, received);
    let headers = reporting();
    const ended = collect(stream);
    await headers;
    expect(reported).toBe(1);
    for (let comment = 2; comment <= 4; comment += 1) {
      headers = reporting();
      enqueue(": OPENROUTER PROCESSING\n\n");
      await headers;
      expect(reported).toBe(comment);
    }
    enqueue(new TextDecoder().decode(await bytesOf("openai", "text")));
    expect(readAnswer(await ended).end).toMatchObject({ type: "finish" });
  });

  it("Models that hide their thinking are recognised by their names", () => {
    const silent = [
      "o3",
      "o4-mini",
      "gpt-5",
      "gpt-5.4",
      "openai/gpt-5-pro",
      "openai/o1",
      "x-ai/grok-4",
      "gpt-5.1-codex",
    ];
    const others = [
      "gpt-4o",
      "gpt-4.1",
      "gpt-5-chat-latest",
      "claude-opus-4-7",
      "gemini-2.5-pro",
      "o",
      "llama-o3x",
      "grok-4-fast-non-reasoning",
    ];
    expect(silent.filter((name) => !thinksInSilence({ model: name }))).toEqual([]);
    expect(others.filter((name) => thinksInSilence({ model: name }))).toEqual([]);
  });
});
