// What rows store of events, and that their replay shows a late reader the state that a live reader had.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { EventDraft, PlainEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { StoredEvent } from "#core/record/record.ts";
import { callsOf } from "#core/record/run-state.ts";
import { fromStored, toStored } from "#core/record/stored-event.ts";
import { toMessage } from "#core/record/view.ts";
import { RowEvents } from "#core/step/row-events.ts";

import { messageRecord } from "../store/records.ts";
import { Harness } from "./support/harness.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { RecordingSink, threadId } from "./support/recording-sink.ts";
import { callBlock, failure, finish, textBlock } from "./support/scripted-model.ts";
import type { ScriptPart } from "./support/scripted-model.ts";
import { ok, tool } from "./support/tool-box.ts";

function list() {
  const sink = new RecordingSink(new ManualClock());
  return { sink, events: new RowEvents(sink, { run_id: "run", step: 2, side: "a", depth: 0 }) };
}

const of = { message_id: "m", index: 0 };

it("An emitted event contains its run, step, side and depth", () => {
  const { sink, events } = list();
  events.emit({ type: "text_start", ...of });
  expect(sink.sent[0]).toMatchObject({ run_id: "run", step: 2, side: "a", depth: 0 });
});

it("Deltas of a block are emitted one by one and stored as one event before the block's end, without the text", () => {
  const { sink, events } = list();
  events.emit({ type: "text_start", ...of });
  for (const [offset, delta] of ["He", "ll", "o"].entries()) {
    events.emit({ type: "text_delta", ...of, offset: offset * 2, delta });
  }
  events.emit({ type: "text_end", ...of, text: "Hello" });
  const kept = events.take();
  expect(kept).toMatchObject([
    { type: "text_start" },
    { type: "text_delta", offset: 0, from_seq: 2, seq: 4 },
    { type: "text_end" },
  ]);
  expect(JSON.stringify(kept)).not.toMatch(/He|llo|thread_id/);
  expect(sink.sent).toHaveLength(5);
  expect(events.take()).toEqual([]);
});

it("A staged event is emitted only after the next write, and only once", () => {
  const { sink, events } = list();
  events.stage({ type: "text_start", ...of });
  expect([events.take().length, sink.sent.length]).toEqual([1, 0]);
  events.release();
  events.release();
  expect(sink.sent).toHaveLength(1);
});

it("A retracted message's events, with its unfinished deltas, are not stored", () => {
  const { events } = list();
  events.emit({ type: "text_start", ...of });
  events.emit({ type: "text_delta", ...of, offset: 0, delta: "half" });
  events.removeMessage("m");
  events.emit({ type: "text_start", ...of });
  events.emit({ type: "text_end", ...of, text: "" });
  expect(events.take().map(({ type }) => type)).toEqual(["text_start", "text_end"]);
});

/** Events of a run do not contain the thread. */
const thread = (): never => {
  throw new Error("An event of a run has the thread.");
};

it("A replay omits events whose message, call or run was deleted", () => {
  const missing = { message: () => undefined, callMessage: () => undefined, run: () => undefined };
  const nowhere = { threadId, thread, branchMessages: () => [], ...missing };
  const emitted = (draft: EventDraft) => toStored({ ...draft, seq: 1, at: 1, thread_id: threadId } as PlainEvent);
  const message = messageRecord(1);
  for (const type of ["message_end", "text_end", "toolcall_delta", "tool_execution_end", "run_end"] as const) {
    expect(fromStored({ seq: 1, at: 1, type, message_id: message.id, index: 0 }, nowhere), type).toBeNull();
  }
  const step = emitted({ type: "step_start", model: "main", attempt: 1 });
  expect(fromStored(step, nowhere)).toEqual({ ...step, thread_id: threadId });
});

it("The provider data of an answer, which is sent back to the provider, is in no message and no event, live or replayed", async () => {
  const provider_data = { provider: "anthropic", data: { signature: "opaque" } };
  const signed = (part: ScriptPart): ScriptPart =>
    part.type.endsWith("_end") ? ({ ...part, provider_data } as ScriptPart) : part;
  const spoken = [
    { type: "thinking_start", index: 0 },
    { type: "thinking_end", index: 0 },
    ...textBlock(1, "Well"),
    ...callBlock(2, { id: "c", name: "it", json: "{}" }),
  ] as ScriptPart[];
  const script = (_: unknown, number: number): ScriptPart[] =>
    number === 0 ? [...spoken.map(signed), finish()] : [...textBlock(0, "end"), finish()];
  const harness = new Harness({ script, tools: [tool("it", async () => ok("fine"))] });
  await harness.finish();
  expect(harness.answers[0]?.parts.map((part) => part.provider_data)).toEqual(Array(3).fill(provider_data));
  const shown = JSON.stringify([harness.events, replayed(harness), harness.answers.map(toMessage)]);
  expect(shown).toContain("thinking_end");
  expect(shown).not.toMatch(/opaque|provider_data/);
});

/** The events of a run, rebuilt from its rows alone. */
function replayed(harness: Harness): PlainEvent[] {
  const { run, journal } = harness;
  const own = harness.sink.sent.filter(({ type }) => type === "run_start" || type === "run_end").map(toStored);
  const stored: StoredEvent[] = [...own, ...[...journal.messages, ...journal.logs].flatMap(({ events }) => events)];
  const source = {
    threadId,
    thread,
    branchMessages: () => [],
    message: (id: string) => journal.messages.find((message) => message.id === id),
    callMessage: (id: string) => journal.messages.find((message) => callsOf(message).some((call) => call.id === id)),
    run: (id: string) => (id === run.id ? run : undefined),
  };
  return stored
    .sort((left, right) => left.seq - right.seq)
    .flatMap((event) => fromStored(structuredClone(event), source) ?? []);
}

const piece = fc.string({ minLength: 1, maxLength: 4 });
const block = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), deltas: fc.array(piece, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("thinking" as const), deltas: fc.array(piece, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("call" as const), deltas: fc.constantFrom(['{"a":1}'], ["{}"], ["{br"]) }),
);
const ending = fc.constantFrom("finish", "finish", "finish", "retry", "final");
const answer = fc.record({ blocks: fc.array(block, { maxLength: 4 }), ending });

function parts(
  { blocks, ending: end }: typeof answer extends fc.Arbitrary<infer T> ? T : never,
  at: number,
): ScriptPart[] {
  const emitted = blocks.flatMap(({ kind, deltas }, index): ScriptPart[] => {
    if (kind === "text") return textBlock(index, ...deltas);
    if (kind === "call") return callBlock(index, { id: `c${at}-${index}`, name: "it", json: deltas.join("") });
    return [
      { type: "thinking_start", index },
      ...deltas.map((delta): ScriptPart => ({ type: "thinking_delta", index, delta })),
      { type: "thinking_end", index },
    ];
  });
  const last = end === "finish" ? finish() : failure({ retryable: end === "retry" });
  return [...emitted, last];
}

it("Replayed rows of any run fold to the same state as its live events", async () => {
  const seed = Date.now() % 2 ** 31;
  console.info(`seed ${seed}`);
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 6 }), async (answers) => {
      const script = (_: unknown, number: number) => {
        const given = answers[number];
        return given === undefined ? [...textBlock(0, "end"), finish()] : parts(given, number);
      };
      const it = tool("it", async (_args, { id }) => ok(id));
      const harness = new Harness({ script, tools: [it] });
      await harness.finish();
      const { last_seq: live, ...received } = foldAll(harness.events);
      const { last_seq: late, ...again } = foldAll(replayed(harness));
      expect(again).toEqual(received);
      expect(late).toBe(live);
    }),
    { numRuns: 200, seed },
  );
});
