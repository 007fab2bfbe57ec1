// The contract of the model port as a suite, run over every provider: the same assertions for each, whatever its protocol.

import { describe, expect, inject, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";

import {
  ask,
  collect,
  model,
  readAnswer,
  request,
  serverPort,
  emitted,
  type AnyProvider,
  wireOf,
} from "./ask-model.ts";
import { bytesOf } from "./fixture-bytes.ts";
import { grammarFaults } from "./grammar.ts";
import { ownFile } from "./own-providers.ts";

/** Requests a case whose answer is controlled by headers; `id` names the exchange to the server. */
function steered(provider: AnyProvider, name: string, headers: Record<string, string>, signal: AbortSignal) {
  const requested = request(model(provider, `case:${name}`, { headers }));
  return serverPort().stream(requested, signal);
}

async function howItClosed(id: string): Promise<unknown> {
  return (await fetch(`${inject("modelServer")}/__closed?id=${id}`)).json();
}

/** The host that errors of a connection name. The binding sends its requests to an address of its own. */
function hostOf(provider: AnyProvider): string {
  return provider === "workers-ai" ? "workers-binding.ai" : new URL(inject("modelServer")).host;
}

/** What the failures of a provider end with. Those of a provider of a project name its file. */
function suffixOf(provider: AnyProvider): string {
  return provider.startsWith("own_") ? ` (provider "${provider}" of ${ownFile})` : "";
}

/** The response with a body whose cancellation does not reach the connection. */
function withoutCancel(response: Response): Response {
  const reader = response.body?.getReader();
  const body = new ReadableStream({
    async pull(controller) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, response);
}

/** Tests the port's contract for one provider. */
export function modelPortContract(provider: AnyProvider): void {
  describe(`model port, ${provider}`, () => {
    it("Text arrives as one block, and the stream ends with one finish that has its token counts", async () => {
      const parts = await ask(provider, "text");
      expect(grammarFaults(parts)).toEqual([]);
      const { text, calls, end } = readAnswer(parts);
      expect(text).toBe("Hello there, how can I help?");
      expect(calls).toEqual([]);
      const usage = { input: 12, output: 8, cache_read: 0, cache_write: 0, total_tokens: 20 };
      expect(end).toMatchObject({ type: "finish", stop_reason: "stop", usage });
      expect(emitted(parts).filter((part) => part.type === "text_delta").length).toBeGreaterThan(1);
    });

    it("Characters are unchanged wherever the bytes are split", async () => {
      const { text } = readAnswer(
        await ask(provider, "multibyte-split", { definition: { headers: { "x-server-seed": "3" } } }),
      );
      expect(text).toBe("Grüße 👩‍🚀 – 日本語 𝄞");
    });

    it("A tool call is emitted with its name, its arguments unchanged, and the stop reason tool_calls", async () => {
      const parts = await ask(provider, "tool-call");
      expect(grammarFaults(parts)).toEqual([]);
      const { calls, end } = readAnswer(parts);
      expect(calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
        ["get_weather", { city: "Zürich" }],
      ]);
      expect(end).toMatchObject({ type: "finish", stop_reason: "tool_calls" });
      const deltas = parts.map((part) => (part.type === "toolcall_delta" ? part.delta : "")).join("");
      expect(deltas).toBe(calls[0]?.arguments);
    });

    it("Parallel calls keep their order and have different ids", async () => {
      const parts = await ask(provider, "parallel-calls");
      expect(grammarFaults(parts)).toEqual([]);
      const { calls } = readAnswer(parts);
      expect(calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
        ["get_weather", { city: "Paris" }],
        ["get_time", { zone: "UTC" }],
      ]);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    });

    it("Text before a call is a block that ends before the call begins", async () => {
      const types = emitted(await ask(provider, "text-then-call")).map((part) => part.type);
      expect(types.filter((type) => !type.endsWith("_delta"))).toEqual([
        "text_start",
        "text_end",
        "toolcall_start",
        "toolcall_end",
        "finish",
      ]);
    });

    it("Empty arguments of a tool call are read as an empty object", async () => {
      expect(readAnswer(await ask(provider, "empty-arguments")).calls).toMatchObject([
        { name: "list_files", arguments: "{}" },
      ]);
    });

    it("A call id is made unique if a provider repeats it in a later step, and is the same when the same step is requested again", async () => {
      const [first] = readAnswer(await ask(provider, "repeated-id")).calls;
      const [again] = readAnswer(await ask(provider, "repeated-id")).calls;
      const later = request(model(provider, "case:repeated-id")).messages;
      const next = await ask(provider, "repeated-id", { messages: [...later, ...later] });
      // The same step requested again gets the same id, and the next step another one.
      expect(again?.id).toBe(first?.id);
      expect(readAnswer(next).calls[0]?.id).not.toBe(first?.id);
    });

    it("A stream that ends without a finish reason is a retryable network error, and its incomplete call is not emitted as complete", async () => {
      const parts = await ask(provider, "cut");
      expect(grammarFaults(parts)).toEqual([]);
      const { text, calls, end } = readAnswer(parts);
      expect(text.trim()).toBe("The answer begins but");
      expect(calls).toEqual([]);
      expect(end).toMatchObject({ type: "error", failure: { kind: "network", retryable: true } });
    });

    it("A connection that breaks in the middle of an answer is a retryable network error that names the host", async () => {
      const host = hostOf(provider);
      const message = `The connection to ${host} broke before the answer was complete.${suffixOf(provider)}`;
      const headers = { "x-server-break": "300" };
      const parts = await collect(steered(provider, "text", headers, new AbortController().signal));
      expect(grammarFaults(parts)).toEqual([]);
      expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "network", retryable: true, message } });
    });

    it("An abort ends the stream at once and the provider sees the connection close", async () => {
      const abort = new AbortController();
      const id = `abort-${provider}`;
      const parts: ModelPart[] = [];
      // Nothing arrives after these bytes, so only the abort can end this loop.
      const headers = { "x-server-hold": "900", "x-server-id": id };
      for await (const part of steered(provider, "text", headers, abort.signal)) {
        parts.push(part);
        if (part.type === "text_delta") abort.abort();
      }
      expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "aborted", retryable: false } });
      expect(grammarFaults(parts)).toEqual([]);
      expect(await howItClosed(id)).toEqual({ complete: false });
    });

    it("The connection to the provider is closed when the reader leaves early", async () => {
      const id = `left-${provider}`;
      const headers = { "x-server-hold": "900", "x-server-id": id };
      for await (const part of steered(provider, "text", headers, new AbortController().signal)) {
        if (part.type === "text_delta") break;
      }
      expect(await howItClosed(id)).toEqual({ complete: false });
    });

    it("When the reader leaves early, the body of the response is cancelled and the signal of the request is aborted", async () => {
      const bytes = await bytesOf(provider, "text");
      const signals: (AbortSignal | null | undefined)[] = [];
      let cancelled: () => void = () => undefined;
      const cancellation = new Promise<void>((resolve) => {
        cancelled = resolve;
      });
      // A fetch that ignores signals, and a body that never ends.
      const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes), cancel: () => cancelled() });
      const port = serverPort({
        fetch: (_input, init) => {
          signals.push(init?.signal);
          return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
        },
      });
      for await (const part of port.stream(request(model(provider, "any")), new AbortController().signal)) {
        if (part.type === "text_delta") break;
      }
      await cancellation;
      expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    });

    it.each<[string, typeof fetch]>([
      ["ignores the signal of the request", (input, init) => fetch(input, { ...init, signal: null })],
      ["does not pass on the cancellation of its body", async (input, init) => withoutCancel(await fetch(input, init))],
    ])("When the reader leaves early, the connection is closed also if fetch %s", async (title, fetchWithout) => {
      const id = `left-${title.slice(0, 4)}-${provider}`;
      const headers = { "x-server-hold": "900", "x-server-id": id };
      const requested = request(model(provider, "case:text", { headers }));
      const port = serverPort({ fetch: fetchWithout });
      for await (const part of port.stream(requested, new AbortController().signal))
        if (part.type === "text_delta") break;
      expect(await howItClosed(id)).toEqual({ complete: false });
    });

    it("No request is sent if its signal is already aborted", async () => {
      let sent = 0;
      const port = serverPort({ fetch: () => Promise.reject(new Error(`request ${++sent}`)) });
      const parts = await collect(port.stream(request(model(provider, "case:text")), AbortSignal.abort()));
      expect(parts).toMatchObject([{ type: "error", failure: { kind: "aborted" } }]);
      expect(sent).toBe(0);
    });

    it("An abort ends a request to which the provider never responds", async () => {
      const abort = new AbortController();
      // A fetch that neither answers nor reacts to its signal.
      const port = serverPort({
        fetch: () => {
          abort.abort();
          return new Promise(() => undefined);
        },
      });
      const parts = await collect(port.stream(request(model(provider, "case:text")), abort.signal));
      expect(parts).toMatchObject([{ type: "error", failure: { kind: "aborted" } }]);
    });

    it("A rejected fetch is a retryable network error that names host and port, not an exception", async () => {
      const rejected = async (baseUrl?: string) => {
        const port = serverPort({ fetch: () => Promise.reject(new TypeError("Network connection lost.")) });
        const requested = model(provider, "case:text", baseUrl === undefined ? {} : { baseUrl });
        return collect(port.stream(request(requested), new AbortController().signal));
      };
      const failed = (host: string) => [
        {
          type: "error",
          failure: {
            kind: "network",
            retryable: true,
            message: expect.stringContaining(
              `Network connection lost. (No response came from ${host}.)${suffixOf(provider)}`,
            ),
          },
        },
      ];
      expect(await rejected()).toMatchObject(failed(hostOf(provider)));
      // A model of the binding, or of a provider of a project, has no address.
      if (provider === "workers-ai" || provider.startsWith("own_")) return;
      // Neither the user nor the path of an address is shown, which may contain a key.
      expect(await rejected("https://me:secret@llm.example:8443/secret/v1")).toMatchObject(failed("llm.example:8443"));
    });

    it("Cached prompt tokens are counted separately from the uncached ones", async () => {
      const { end } = readAnswer(await ask(provider, "cached-tokens"));
      const wire = provider === "workers-ai" ? "openai" : wireOf(provider);
      const marked = wire === "anthropic" || wire === "openrouter" || wire === "bedrock";
      const counts = marked
        ? { input: 6, cache_read: 1900, cache_write: 100 }
        : { input: 86, cache_read: 1920, cache_write: 0 };
      expect(end).toMatchObject({ type: "finish", usage: { ...counts, output: 4, total_tokens: 2010 } });
    });

    it("Reasoning tokens count as output", async () => {
      const { end } = readAnswer(await ask(provider, "thinking"));
      expect(end).toMatchObject({ type: "finish", usage: { input: 15, output: 90, total_tokens: 105 } });
    });

    it("A provider's raw chunks are emitted as separate parts", async () => {
      const raw = (await ask(provider, "text")).filter((part) => part.type === "raw");
      expect(raw.length).toBeGreaterThan(3);
      expect(raw.map(({ chunk }) => chunk).join()).toContain("Hello");
    });
  });
}
