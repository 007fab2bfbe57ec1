// Streams of UPP: the order and the fields of events, the end of a stream that its reader leaves, and the wait for a slow reader.

import { expect, it } from "vitest";

import type { StreamResult } from "#facade/upp/llm.ts";
import { llm } from "#facade/upp/llm.ts";
import type { StreamEvent } from "#facade/upp/stream-event.ts";

import { longAnswer } from "./support/long-answer.ts";
import { add, call, gate, instance, rejection, tool } from "./support/scripted-llm.ts";

async function eventsOf(stream: StreamResult): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The types of events. Consecutive events of one type are one entry. */
function typesOf(events: readonly StreamEvent[]): string[] {
  return events.flatMap(({ type }, at) => (events[at - 1]?.type === type ? [] : [type]));
}

it("A stream emits the events of each message and each tool call of a turn in order, with all their fields", async () => {
  const script = [
    {
      thinking: "Hm.",
      text: "Adding.",
      toolCalls: [{ ...call("add", { a: 1, b: 2 }), id: "call_0123456789abcdef01" }],
    },
    { text: ["Th", "ree."] },
  ];
  const events = await eventsOf(instance(script, { tools: [add] }).stream("Add."));
  expect(typesOf(events)).toEqual([
    "message_start",
    "content_block_start",
    "reasoning_delta",
    "content_block_stop",
    "content_block_start",
    "text_delta",
    "content_block_stop",
    "content_block_start",
    "tool_call_delta",
    "content_block_stop",
    "message_stop",
    "tool_execution_start",
    "tool_execution_end",
    "message_start",
    "content_block_start",
    "text_delta",
    "content_block_stop",
    "message_stop",
  ]);
  const of = (type: string) => events.filter((event) => event.type === type);
  expect(of("content_block_start").map(({ index }) => index)).toEqual([0, 1, 2, 0]);
  expect(
    of("reasoning_delta")
      .map(({ delta }) => delta.text)
      .join(""),
  ).toBe("Hm.");
  expect(
    of("text_delta")
      .map(({ delta }) => delta.text)
      .join(""),
  ).toBe("Adding.Three.");
  const ids = { toolCallId: "call_0123456789abcdef01", toolName: "add" };
  for (const { index, delta } of of("tool_call_delta")) expect([index, delta]).toMatchObject([2, ids]);
  const argumentsJson = of("tool_call_delta")
    .map(({ delta }) => delta.argumentsJson)
    .join("");
  expect(JSON.parse(argumentsJson)).toEqual({ a: 1, b: 2 });
  expect(of("tool_execution_start")).toEqual([
    { type: "tool_execution_start", index: 0, delta: { ...ids, timestamp: expect.any(Number) } },
  ]);
  expect(of("tool_execution_end")).toEqual([
    {
      type: "tool_execution_end",
      index: 0,
      delta: { ...ids, timestamp: expect.any(Number), result: 3, isError: false },
    },
  ]);
  expect(new Date(of("tool_execution_end")[0]?.delta.timestamp ?? 0).getFullYear()).toBeGreaterThan(2025);
});

it("The events of a call have the call's position in the answer as their index, and the result of a failed call is marked", async () => {
  const broken = tool("broken", () => {
    throw new Error("It broke.");
  });
  const script = [{ toolCalls: [call("add", { a: 1, b: 1 }), call("broken")] }, { text: "Done." }];
  const events = await eventsOf(instance(script, { tools: [add, broken] }).stream("Go."));
  const ends = events.filter(({ type }) => type === "tool_execution_end").sort((one, other) => one.index - other.index);
  expect(ends).toMatchObject([
    { index: 0, delta: { toolName: "add", result: 2, isError: false } },
    { index: 1, delta: { toolName: "broken", result: "It broke.", isError: true } },
  ]);
});

it("If a request fails in the middle of a message, the stream emits no message_stop for it, and the repeated request begins with a new message_start", async () => {
  const answers = [{ text: "Half", error: { status: 503, message: "Overloaded." } }, { text: "Whole." }];
  const model = instance(() => answers.shift() ?? { text: "Too many." }, {
    config: { retryStrategy: { onRetry: () => 1 } },
  });
  const events = await eventsOf(model.stream("Go."));
  expect(typesOf(events).filter((type) => type.startsWith("message"))).toEqual([
    "message_start",
    "message_start",
    "message_stop",
  ]);
});

it("If a turn fails, the loop over its events throws the error of the turn", async () => {
  const stream = instance([{ text: "Half", error: { status: 401, message: "No." } }]).stream("Go.");
  const error = await rejection(eventsOf(stream));
  expect(error).toMatchObject({ code: "AUTHENTICATION_FAILED", statusCode: 401 });
  expect(await rejection(stream.turn)).toBe(error);
});

it("If a request is refused, the turn and the loop over its events reject", async () => {
  const stream = instance([{ text: "Never." }]).stream([]);
  expect(await rejection(stream.turn)).toMatchObject({ code: "INVALID_REQUEST" });
  expect(await rejection(eventsOf(stream))).toMatchObject({ code: "INVALID_REQUEST" });
});

it("Leaving the loop over the events aborts the turn and its running tool", async () => {
  const [started, aborted] = [gate(), gate()];
  const hangs = tool("hangs", (_params, { signal }) => {
    signal.addEventListener("abort", aborted.open);
    started.open();
    return new Promise(() => {});
  });
  const stream = instance([{ text: "Wait.", toolCalls: [call("hangs")] }], { tools: [hangs] }).stream("Go.");
  for await (const { type } of stream) {
    if (type !== "tool_execution_start") continue;
    await started.passed;
    break;
  }
  await aborted.passed;
  expect(await rejection(stream.turn)).toMatchObject({ code: "CANCELLED" });
});

it("A call of the iterator's function return before the first event aborts the turn", async () => {
  const stream = instance([{ text: "Slow.", delayMs: 60_000 }]).stream("Go.");
  await stream[Symbol.asyncIterator]().return?.();
  expect(await rejection(stream.turn)).toMatchObject({ code: "CANCELLED" });
});

it("abort() ends the turn with CANCELLED, and the loop over the events with the same error", async () => {
  const stream = instance([{ text: "Slow.", delayMs: 60_000 }]).stream("Go.");
  const read = rejection(eventsOf(stream));
  stream.abort();
  const error = await rejection(stream.turn);
  expect(error).toMatchObject({ code: "CANCELLED" });
  expect(await read).toBe(error);
});

it("Leaving the loop after the turn has ended does not abort the turn", async () => {
  const stream = instance([{ text: "Done." }]).stream("Go.");
  const turn = await stream.turn;
  for await (const { type } of stream) if (type === "message_stop") break;
  expect((await stream.turn).response).toBe(turn.response);
});

it("Concurrent calls of next receive the events in order, and then the end", async () => {
  const expected = typesOf(await eventsOf(instance([{ text: "One." }]).stream("Go.")));
  const events = instance([{ text: "One." }])
    .stream("Go.")
    [Symbol.asyncIterator]();
  const reads = await Promise.all(Array.from({ length: 8 }, () => events.next()));
  expect(typesOf(reads.flatMap(({ value }) => (value === undefined ? [] : [value as StreamEvent])))).toEqual(expected);
  expect(reads.at(-1)).toEqual({ done: true, value: undefined });
});

it("A pending call of next resolves to the end when the reader calls return", async () => {
  const began = gate();
  const hangs = tool("hang", () => {
    began.open();
    return new Promise(() => {});
  });
  const stream = instance([{ toolCalls: [call("hang")] }], { tools: [hangs] }).stream("Go.");
  const failed = rejection(stream.turn);
  const events = stream[Symbol.asyncIterator]();
  let last = await events.next();
  while (last.done !== true && last.value.type !== "tool_execution_start") last = await events.next();
  await began.passed;
  const waiting = events.next();
  await events.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(await failed).toMatchObject({ code: "CANCELLED" });
});

it("A stream can be read only once", async () => {
  const stream = instance([{ text: "Done." }]).stream("Go.");
  await eventsOf(stream);
  expect(() => stream[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
});

it("While a reader is slow, the rest of the answer is not read from the connection, and the reader receives all of it", async () => {
  const { model, sent } = longAnswer(3000);
  const stream = llm({ model }).stream("Go.");
  let [read, mostAhead] = [0, 0];
  for await (const { type } of stream) {
    if (type === "text_delta") read += 1;
    // Everything that can happen without a further read has happened after a few turns of the event loop.
    if (read % 500 === 1)
      for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    mostAhead = Math.max(mostAhead, sent() - read);
  }
  expect(read).toBe(3000);
  expect(mostAhead).toBeLessThan(200);
  expect((await stream.turn).response.text).toHaveLength(3000);
});

it("A turn runs to its end if its events are not read", async () => {
  const { model } = longAnswer(3000);
  expect((await llm({ model }).stream("Go.").turn).response.text).toHaveLength(3000);
});
