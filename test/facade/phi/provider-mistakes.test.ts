// The mistakes of providers that a program implements: each is one failure that names the provider, and none shows the key.

import { expect, it, vi } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";
import type { StreamEvent, StreamProvider, StreamSender } from "#facade/phi/provider/stream-provider.ts";
import { deferred } from "#lib/deferred.ts";

import { answer, custom, modelsWith, partsWith, text } from "./support/custom-provider.ts";
import { modelRequest, partsOf } from "./support/served-models.ts";

/** The failure of one answer of a provider. */
async function failureWith(provider: StreamProvider, signal?: AbortSignal): Promise<unknown> {
  const end = (await partsWith(provider, signal)).at(-1);
  return end?.type === "error" ? end.failure : end;
}

const named = (problem: string) => ({
  kind: "api",
  message: `The provider "custom" ${problem}.`,
  retryable: false,
  status: null,
  retry_after_ms: null,
});

/** A promise that rejects with any value. */
const rejected = (value: unknown): Promise<never> =>
  Promise.resolve().then(() => {
    throw value;
  });

const mistakes: [title: string, provider: StreamProvider, problem: string | RegExp][] = [
  [
    "ends without a message",
    custom(() => Promise.resolve(undefined as never)),
    "ended without a message: its function `stream` has to resolve with the answer",
  ],
  [
    "returns no promise and no message",
    custom(() => undefined as never),
    "ended without a message: its function `stream` has to resolve with the answer",
  ],
  [
    "throws",
    custom(() => {
      throw new TypeError("Not a function.");
    }),
    "failed: Not a function.",
  ],
  ["rejects with a value that is no error", custom(() => rejected(null)), "failed: null"],
  [
    "rejects with a value that cannot be a text",
    custom(() =>
      rejected({
        toString: () => {
          throw new Error("no");
        },
      }),
    ),
    "failed: a value that cannot be converted to text",
  ],
  [
    "is cancelled by nothing",
    custom(() => Promise.reject(ProviderError.cancelled())),
    "ended its request as cancelled, and nothing had cancelled it",
  ],
  [
    "resolves with the message of a user",
    custom(() => Promise.resolve({ ...answer(text), role: "user" } as never)),
    "ended with an answer that is not an assistant message",
  ],
  [
    "resolves with content of an unknown type",
    custom(() => Promise.resolve(answer([{ type: "video" } as never]))),
    'ended with an answer that has a wrong block: `content[0]` has the type "video"',
  ],
  [
    "resolves with a call without arguments",
    custom(() => Promise.resolve(answer([{ type: "toolCall", id: "a", name: "t" } as never]))),
    "ended with an answer that has a wrong block: `content[0]` has no `arguments`",
  ],
  [
    "resolves with negative token counts",
    custom(() => Promise.resolve(answer(text, { usage: { ...answer(text).usage, output: -1 } }))),
    "ended with an answer that has no whole number `usage.output`",
  ],
  [
    "resolves with a stop reason of another package",
    custom(() => Promise.resolve(answer(text, { stop_reason: "end_turn" as never }))),
    'ended with an answer that has the stop reason "end_turn"',
  ],
  ["sends null", sends(null), 'sent the event "undefined", which is not an object'],
  ["sends an unknown event", sends({ type: "Text" }), 'sent the event "Text", which is of no known type'],
  [
    "sends a delta without a text",
    sends({ type: "TextDelta", content_index: 0 }),
    'sent the event "TextDelta", which has no text `delta`',
  ],
  [
    "sends a delta of no block",
    sends({ type: "TextDelta", content_index: -1, delta: "H" }),
    'sent the event "TextDelta", which has no whole number `content_index`',
  ],
  [
    "sends a piece of a call that has not begun",
    sends({ type: "ToolCallDelta", content_index: 0, delta: "{" }),
    'sent the event "ToolCallDelta" for the block 0, which is no open call',
  ],
  [
    "begins a call twice",
    sends(
      { type: "ToolCallStart", content_index: 0, id: "a", name: "t" },
      { type: "ToolCallStart", content_index: 0, id: "a", name: "t" },
    ),
    'sent "ToolCallStart" twice, or after other events, for the block 0',
  ],
  [
    "sends text and thinking for one block",
    sends({ type: "TextDelta", content_index: 0, delta: "H" }, { type: "ThinkingDelta", content_index: 0, delta: "H" }),
    "sent events of two types for the block 0",
  ],
  [
    "sends deltas that the answer does not have",
    sends({ type: "TextDelta", content_index: 0, delta: "Bye" }),
    "sent deltas for the block 0 that are not the beginning of its text in the answer",
  ],
  [
    "sends a block that the answer does not have",
    sends({ type: "TextDelta", content_index: 0, delta: "Hello" }, { type: "TextDelta", content_index: 1, delta: "!" }),
    "sent events for the block 1, and its answer has 1 blocks",
  ],
  [
    "sends thinking where the answer has text",
    sends({ type: "ThinkingDelta", content_index: 0, delta: "Hello" }),
    "sent events of the type thinking for the block 0, which is text in its answer",
  ],
  [
    "sends an event after `Done`",
    sends({ type: "Done", message: answer(text) }, { type: "Start" }),
    'sent the event "Start" after "Done"',
  ],
  [
    "sends a message of no form",
    sends({ type: "Done", message: "Hello" }),
    'sent the event "Done", which has a message that is not an assistant message',
  ],
  [
    "sends an event whose fields throw",
    sends({
      get type(): never {
        throw new Error("No type.");
      },
    }),
    "failed: No type.",
  ],
  ["aborts its answer", custom(() => Promise.resolve(answer([], { stop_reason: "aborted" }))), "aborted its answer"],
];

function sends(...events: unknown[]): StreamProvider {
  return custom((_config, tx) => {
    for (const event of events) tx.send(event as StreamEvent);
    return Promise.resolve(answer(text));
  });
}

it.each(mistakes)(
  "A provider that %s fails with its name and the mistake, and is not asked again",
  async (_title, provider, problem) => {
    expect(await failureWith(provider)).toEqual(named(String(problem).replace(/\.$/, "")));
  },
);

it("A provider without an answer is cancelled with its request, also if it ignores the token", async () => {
  const abort = new AbortController();
  const cancelled: boolean[] = [];
  const provider = custom((_config, tx, cancel) => {
    cancel.signal.addEventListener("abort", () => cancelled.push(cancel.isCancelled()));
    tx.send({ type: "TextDelta", content_index: 0, delta: "Hello" });
    return new Promise(() => undefined);
  });
  const { port, model } = modelsWith(provider);
  const parts: ModelPart[] = [];
  for await (const part of port.stream(modelRequest(model), abort.signal)) {
    parts.push(part);
    if (part.type === "text_delta") abort.abort();
  }
  expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "aborted", retryable: false } });
  expect(cancelled).toEqual([true]);
});

it("An event that a provider sends after its answer changes nothing, and the log names the provider once", async () => {
  const lines: string[] = [];
  const warn = vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line));
  let sender: StreamSender | undefined;
  const parts = await partsWith(
    custom((_config, tx) => {
      sender = tx;
      return Promise.resolve(answer(text));
    }),
  );
  const before = structuredClone(parts);
  for (let at = 0; at < 3; at += 1) sender?.send({ type: "TextDelta", content_index: 0, delta: "!" });
  warn.mockRestore();
  expect(parts).toEqual(before);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: "event_after_answer", provider: "custom" },
  ]);
});

it("A request that is cancelled before it begins does not reach the provider", async () => {
  let requests = 0;
  const provider = custom(() => {
    requests += 1;
    return Promise.resolve(answer(text));
  });
  expect(await failureWith(provider, AbortSignal.abort())).toMatchObject({ kind: "aborted" });
  expect(requests).toBe(0);
});

it("A provider is cancelled when its reader leaves, and events after that reach no one and throw nothing", async () => {
  const sender = deferred<StreamSender>();
  const stopped = deferred<boolean>();
  const { port, model } = modelsWith(
    custom((_config, tx, cancel) => {
      sender.resolve(tx);
      cancel.signal.addEventListener("abort", () => stopped.resolve(cancel.isCancelled()));
      tx.send({ type: "TextDelta", content_index: 0, delta: "Hello" });
      return new Promise(() => undefined);
    }),
  );
  for await (const part of port.stream(modelRequest(model), new AbortController().signal)) {
    if (part.type === "text_delta") break;
  }
  expect(await stopped.promise).toBe(true);
  const late = await sender.promise;
  expect(() => late.send({ type: "TextDelta", content_index: 0, delta: "!" })).not.toThrow();
});

it("A provider's error becomes the failure of its variant", async () => {
  const errors: [ProviderError, object][] = [
    [ProviderError.api("Bad."), { kind: "api", message: "Bad.", retryable: false }],
    [ProviderError.other("Odd."), { kind: "api", message: "Odd.", retryable: false }],
    [ProviderError.network("Broken."), { kind: "network", message: "Broken.", retryable: true }],
    [ProviderError.auth("No."), { kind: "auth", message: "No.", retryable: false }],
    [ProviderError.rateLimited(1500), { kind: "rate_limited", retryable: true, retry_after_ms: 1500 }],
    [ProviderError.contextOverflow("Long."), { kind: "overflow", message: "Long.", retryable: false }],
  ];
  for (const [error, failure] of errors) {
    expect(await failureWith(custom(() => Promise.reject(error)))).toMatchObject(failure);
  }
});

it("An answer with an error is a failure, an overflow if its text states one, and a refusal of the provider after `Done`", async () => {
  const failed = answer([], { stop_reason: "error", error_message: "prompt is too long: 213462 tokens > 200000" });
  expect(await failureWith(custom(() => Promise.resolve(failed)))).toMatchObject({ kind: "overflow" });
  const other = answer([], { stop_reason: "error", error_message: "The model is tired." });
  expect(await failureWith(custom(() => Promise.resolve(other)))).toMatchObject({
    kind: "api",
    message: "The model is tired.",
  });
  const refused = answer(text, { stop_reason: "error", error_message: "Not this." });
  const parts = await partsWith(
    custom((_config, tx) => {
      tx.send({ type: "Done", message: refused });
      return Promise.resolve(refused);
    }),
  );
  expect(parts.at(-1)).toMatchObject({ type: "finish", stop_reason: "content_filter", stop_detail: "Not this." });
});

it("No failure of a provider contains the key or the value of a header of its config", async () => {
  const leaks = [
    custom(({ model_config }) => Promise.reject(new Error(`401 for ${model_config.api_key}`))),
    custom(({ model_config }) => Promise.reject(ProviderError.api(`Bearer ${model_config.api_key}`))),
    custom(({ model_config }) => Promise.reject(new Error(Object.values(model_config.headers ?? {}).join()))),
    custom(({ model_config }, tx) => {
      tx.send({ type: model_config.api_key } as never);
      return Promise.resolve(answer(text));
    }),
    custom(({ model_config }) =>
      Promise.resolve(answer([], { stop_reason: "error", error_message: `key ${model_config.api_key}` })),
    ),
    custom(({ model_config }, tx) => {
      const refused = answer(text, { stop_reason: "error", error_message: `key ${model_config.api_key}` });
      tx.send({ type: "Done", message: refused });
      return Promise.resolve(refused);
    }),
  ];
  for (const provider of leaks) {
    const shown = JSON.stringify((await partsWith(provider)).at(-1));
    expect(shown).not.toMatch(/vertex-secret|header-secret/);
    expect(shown).toContain("[redacted]");
  }
});

it("A request that the interface cannot express is refused before the provider receives it", async () => {
  let requests = 0;
  const { port, model } = modelsWith(
    custom(() => {
      requests += 1;
      return Promise.resolve(answer(text));
    }),
  );
  const structure = { name: "answer", schema: { type: "object" } };
  expect(await partsOf(port, modelRequest(model, { structure }))).toMatchObject([
    { type: "error", failure: named("cannot be asked for a structured answer") },
  ]);
  expect(await partsOf(port, modelRequest(model, { toolChoice: "required" }))).toMatchObject([
    { type: "error", failure: named("cannot be asked for a forced call") },
  ]);
  expect(requests).toBe(0);
});
