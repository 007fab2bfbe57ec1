// The tape of a thread's events.

import { describe, expect, it } from "vitest";

import type { ThreadEvent } from "#client/index.ts";
import type { EventDraft } from "#contract/event.ts";
import { EventTape } from "#playground/events/event-tape.ts";

import { numberedEvents } from "./support/streamed-events.ts";

function taped(events: readonly ThreadEvent[]) {
  const later: (() => void)[] = [];
  const tape = new EventTape((run) => later.push(run));
  for (const event of events) {
    tape.push(event);
    for (const run of later.splice(0)) run();
  }
  return tape.get();
}

const delta = (message_id: string, offset: number, text: string): EventDraft => ({
  type: "text_delta",
  message_id,
  index: 0,
  offset,
  delta: text,
});

describe("the event list", () => {
  it("The event list shows live deltas as the same entry as the merged delta of a replay", () => {
    const tell = numberedEvents();
    const live = [tell(1, delta("m", 0, "Hel")), tell(2, delta("m", 3, "lo ")), tell(3, delta("m", 6, "you"))];
    const [entry, ...more] = taped(live);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ from: 1, count: 3, event: { seq: 3, from_seq: 1, offset: 0, delta: "Hello you" } });
    const merged = { ...live[2], from_seq: 1, offset: 0, delta: "Hello you" } as ThreadEvent;
    expect(taped([merged])[0]).toMatchObject({ key: entry?.key, from: 1, event: merged });
  });

  it("The event list merges the deltas of each block into one entry, also if blocks alternate, and counts overlapping text once", () => {
    const tell = numberedEvents();
    const mixed = taped([
      tell(1, delta("a", 0, "one")),
      tell(2, delta("b", 0, "uno")),
      tell(3, delta("a", 2, "e two")),
      tell(4, delta("b", 3, " dos")),
    ]);
    expect(mixed.map(({ event }) => "delta" in event && event.delta)).toEqual(["one two", "uno dos"]);
  });

  it("The event list has one entry for the output of a tool and one for its progress, and merges no other events", () => {
    const tell = numberedEvents();
    const of = { type: "tool_execution_delta", tool_call_id: "c", tool_name: "t" } as const;
    const entries = taped([
      tell(1, { ...of, offset: 0, delta: "a" }),
      tell(2, { ...of, progress: 1 }),
      tell(3, { ...of, offset: 1, delta: "b" }),
      tell(4, { ...of, progress: 2 }),
      tell(5, { type: "queue_changed", queued: [] }),
      tell(6, { type: "queue_changed", queued: [] }),
    ]);
    expect(entries.map(({ event }) => [event.seq, "delta" in event ? event.delta : null])).toEqual([
      [3, "ab"],
      [4, null],
      [5, null],
      [6, null],
    ]);
  });

  it("The event list notifies its listener once for all changes since the last notification", () => {
    const tell = numberedEvents();
    const later: (() => void)[] = [];
    const tape = new EventTape((run) => later.push(run));
    let notified = 0;
    tape.subscribe(() => (notified += 1));
    const before = tape.get();
    for (const ms of [1, 2, 3]) tape.push(tell(ms, { type: "queue_changed", queued: [] }));
    expect(tape.get()).toBe(before);
    for (const run of later.splice(0)) run();
    expect([notified, tape.get().length, before.length]).toEqual([1, 3, 0]);
  });
});
