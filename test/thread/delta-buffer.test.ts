// Deltas that wait for a moment and are sent as one.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { EventDraft, PlainEvent } from "#contract/event.ts";
import { DeltaBuffer } from "#thread/reader/fan-out.ts";

function events(...drafts: EventDraft[]): PlainEvent[] {
  return drafts.map((draft, at) => ({ ...draft, seq: at + 1, at: 10 + at, thread_id: "t" }) as PlainEvent);
}

function buffered(list: readonly PlainEvent[]): PlainEvent[] {
  const buffer = new DeltaBuffer();
  for (const event of list) buffer.add(event);
  const taken = buffer.take();
  expect([buffer.empty, buffer.take()]).toEqual([true, []]);
  return taken;
}

const text = (offset: number, delta: string, index = 0): EventDraft => ({
  type: "text_delta",
  message_id: "m",
  index,
  offset,
  delta,
});

const of = { message_id: "r", tool_call_id: "c", tool_name: "it" };

it("Unsent deltas of one block are merged into one delta with the offset of the first, the seq of the last and the text of all", () => {
  const list = events(text(7, "He"), text(9, "ll"), text(11, "o"));
  expect(buffered(list)).toEqual([{ ...list[2], from_seq: 1, offset: 7, delta: "Hello" }]);
  expect(buffered(list.slice(1, 2))).toEqual([list[1]]);
  const output = events(
    { type: "tool_execution_delta", ...of, offset: 3, delta: "ab" },
    { type: "tool_execution_delta", ...of, offset: 5, delta: "c" },
  );
  expect(buffered(output)).toEqual([{ ...output[1], from_seq: 1, offset: 3, delta: "abc" }]);
});

it("A text that arrives in any pieces is merged into one delta with the offset of the first piece and the whole text", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (begin, pieces) => {
      let offset = begin;
      const list = events(
        ...pieces.map((piece) => {
          const event = text(offset, piece);
          offset += piece.length;
          return event;
        }),
      );
      expect(buffered(list)).toMatchObject([{ offset: begin, delta: pieces.join(""), seq: pieces.length }]);
    }),
  );
});

it("Unsent deltas of different blocks, types or messages are not merged with each other, and the merged deltas are ordered by seq", () => {
  const other: EventDraft = { type: "thinking_delta", message_id: "m", index: 0, offset: 0, delta: "t" };
  const elsewhere: EventDraft = { type: "text_delta", message_id: "n", index: 0, offset: 0, delta: "e" };
  const list = events(text(0, "a"), text(0, "x", 1), other, elsewhere, text(1, "b"));
  expect(buffered(list)).toMatchObject([
    { index: 1, delta: "x" },
    { type: "thinking_delta", delta: "t" },
    { message_id: "n", delta: "e" },
    { index: 0, delta: "ab", offset: 0, from_seq: 1, seq: 5 },
  ]);
});

it("An unsent progress update of a tool is replaced by the next one, and other events that are no deltas are not merged", () => {
  const progress = (done: number): EventDraft => ({ type: "tool_execution_delta", ...of, progress: { done } });
  const said: EventDraft = { type: "tool_execution_delta", ...of, offset: 0, delta: "out" };
  const custom: EventDraft = { type: "custom", name: "n", data: 1 };
  const list = events(progress(1), said, progress(2), custom, custom);
  expect(buffered(list)).toEqual([list[1], { ...list[2], from_seq: 1 }, list[3], list[4]]);
});
