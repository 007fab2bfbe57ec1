// The fold that every reader applies to events, for random sequences of events.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { EventDraft, EventOf, PlainEvent } from "#contract/event.ts";
import { emptyView, fold, foldAll } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";
import { toThread } from "#core/record/view.ts";

import { threadRecord } from "../store/records.ts";
import { deltas, idAt, messageAt, numbered, spoken, story, worked } from "./support/story.ts";

const seed = Date.now() % 2 ** 31;
const runs = { numRuns: 300, seed };

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** The same deltas merged into one, as a late reader receives them: with the first one's offset and the last one's number. */
function merged(events: readonly PlainEvent[]): PlainEvent[] {
  return events.reduce<PlainEvent[]>((emitted, event) => {
    const last = emitted.at(-1);
    if (event.type !== "text_delta" || last?.type !== "text_delta" || last.message_id !== event.message_id) {
      return [...emitted, event];
    }
    const from_seq = last.from_seq ?? last.seq;
    return [...emitted.slice(0, -1), { ...event, offset: last.offset, delta: last.delta + event.delta, from_seq }];
  }, []);
}

it("An already folded event changes nothing in the view, also when two replays overlap", () => {
  console.info(`seed ${seed}`);
  fc.assert(
    fc.property(story, fc.nat(60), fc.nat(60), (events, to, from) => {
      const whole = foldAll(events);
      const half = foldAll(events.slice(0, to));
      expect(foldAll(events.slice(Math.min(from, to)), half)).toEqual(whole);
      expect(foldAll(events, whole)).toBe(whole);
    }),
    runs,
  );
});

it("Merged deltas give the folded view the same text as single deltas, from any position of a reader", () => {
  fc.assert(
    fc.property(story, fc.nat(60), fc.nat(60), (whole, to, observed) => {
      // The cut may be within a block; the end of the block would send the whole text again.
      const events = whole.slice(0, to);
      expect(foldAll(merged(events))).toEqual(foldAll(events));
      expect(foldAll(merged(events), foldAll(events.slice(0, observed)))).toEqual(foldAll(events));
    }),
    runs,
  );
});

it("A merged delta that begins before the end of the known text does not repeat text in the folded view", () => {
  const cuts = fc.array(fc.nat(12), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(cuts, (given) => {
      // Without the end of the block, which would send the whole text again.
      const events = numbered(spoken(1, "Hello, world", given).slice(0, -2));
      const whole = foldAll(events);
      return events.every((_, observed) => {
        const view = foldAll(merged(events), foldAll(events.slice(0, observed)));
        return view.messages[0]?.content === whole.messages[0]?.content;
      });
    }),
  );
});

it("Folded deltas give the original text, wherever it was split", () => {
  const cuts = fc.array(fc.nat(40), { maxLength: 8 });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 20 }), cuts, (text, given) => {
      const of = { message_id: idAt(1), index: 0 };
      const [start, begun] = spoken(1, "", []);
      const drafts = [start, begun].flatMap((draft) => draft ?? []);
      const view = foldAll(numbered([...drafts, ...deltas(of, text, given)]));
      return (view.messages[0]?.content ?? "") === text;
    }),
    runs,
  );
});

it("The folded view of a snapshot and the events after it has the same messages as that of all events", () => {
  fc.assert(
    fc.property(story, fc.nat(60), (events, at) => {
      const before = foldAll(events.slice(0, at));
      const thread = toThread(threadRecord());
      const [whole, open] = [false, true].map((streaming) =>
        before.messages.filter((message) => message.streaming === streaming),
      );
      const ids = new Set(open?.map(({ id }) => id));
      const partial = events.slice(0, at).filter(({ message_id }) => message_id !== undefined && ids.has(message_id));
      const snapshot: EventOf<"snapshot"> = {
        seq: before.last_seq,
        thread_id: thread.id,
        at: 1,
        type: "snapshot",
        thread,
        messages: whole ?? [],
        partial,
      };
      const view = foldAll([snapshot, ...events.slice(at)]);
      expect(view.messages).toEqual(foldAll(events).messages);
      const { status, active_run_id, ...others } = thread;
      expect(view.thread).toMatchObject(others);
      expect(view.thread?.active_run_id).toBe(view.active_run_id);
      // The thread has the status of the snapshot, until an event of a run shows another one.
      const last = Object.values(view.runs).at(-1)?.status;
      const ended = last === "error" ? last : "idle";
      const shown = last === "running" || last === "awaiting_tool_execution" ? last : ended;
      expect(view.thread?.status).toBe(last === undefined ? status : shown);
      expect(active_run_id).toBeNull();
    }),
    runs,
  );
});

it("The folded view has messages in order of position, in whatever order their events arrive", () => {
  fc.assert(
    fc.property(story, (events) => {
      const places = foldAll(events).messages.map(({ position }) => position);
      expect(places).toEqual([...places].sort());
      expect(new Set(places).size).toBe(places.length);
    }),
    runs,
  );
});

it("A message_retracted event removes its message from the folded view completely, and nothing else", () => {
  fc.assert(
    fc.property(story, (events) => {
      const gone = new Set(
        events.flatMap((event) => (event.type === "message_retracted" ? [event.message_id ?? ""] : [])),
      );
      const kept = events.filter(({ message_id }) => message_id === undefined || !gone.has(message_id));
      const { last_seq: _, ...view } = foldAll(events);
      const { last_seq: __, ...without } = foldAll(kept);
      expect(view).toEqual(without);
    }),
    runs,
  );
});

it("A message_retracted event without a message id removes the run's unfinished messages from the folded view, and nothing else", () => {
  const half = spoken(3, "half", []).slice(0, 3);
  const drafts = [...spoken(1, "whole", []), ...half, { type: "message_retracted", reason: "recovery" } as const];
  expect(foldAll(numbered(drafts)).messages.map(({ content }) => content)).toEqual(["whole"]);
});

it("The fold of an event changes neither the earlier view nor the event", () => {
  fc.assert(
    fc.property(story, (events) => {
      deepFreeze(events);
      let view: ThreadView = emptyView;
      for (const event of events) view = deepFreeze(fold(view, event));
      expect(emptyView).toEqual({ last_seq: 0, thread: null, messages: [], tools: {}, runs: {}, active_run_id: null });
    }),
    runs,
  );
});

it("Any subset of the events can be folded, and the end events of messages restore the complete messages", () => {
  fc.assert(
    fc.property(story, fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }), (events, received) => {
      const some = events.filter((_, at) => received[at] === true);
      for (const { parts } of foldAll(some).messages) {
        expect([...parts].every((part) => part !== undefined)).toBe(true);
      }
      const ends = events.filter(({ type }) => type === "message_end" || type === "message_retracted");
      const both = foldAll([...some, ...ends].sort((a, b) => a.seq - b.seq));
      const finished = foldAll(events).messages;
      expect(both.messages).toEqual(finished);
    }),
    runs,
  );
});

it("The folded view has a part of type text for each block whose beginning was missed", () => {
  const of = { message_id: idAt(1), index: 3 };
  const [start] = spoken(1, "", []);
  const drafts = [...(start === undefined ? [] : [start]), ...deltas(of, "late", [])];
  const [message] = foldAll(numbered(drafts)).messages;
  expect(message?.content).toBe("late");
  expect(message?.parts.map(({ type }) => type)).toEqual(["text", "text", "text", "text"]);
});

it("The folded view of a tool call has its output and progress while it runs, and then its result", () => {
  const events = numbered(worked(1, "out"));
  expect(foldAll(events.slice(0, 3)).tools["c1"]).toMatchObject({ output: "out", progress: 1, running: true });
  expect(foldAll(events).tools["c1"]).toMatchObject({ running: false, result: { result: "out" } });
});

it("The folded view has a run as active from its run_start to its run_end", () => {
  const start = { type: "run_start", agent_id: "a", kind: "message", trigger: "user", parent_run_id: null } as const;
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, total_tokens: 2 };
  const end = { reason: null, outcome: null, usage, cost: 1, message_ids: [], error: null };
  const events = numbered([start, { type: "run_end", status: "completed", ...end }]);
  expect(foldAll(events.slice(0, 1))).toMatchObject({ active_run_id: "run", runs: { run: { status: "running" } } });
  expect(foldAll(events)).toMatchObject({
    active_run_id: null,
    runs: { run: { status: "completed", usage, cost: 1 } },
  });
});

it.each(["running", "awaiting_tool_execution"] as const)(
  "FOLLOW9 A queued run that ends before it starts leaves the thread at the status %s of its active run",
  (status) => {
    const thread = toThread(threadRecord({ status, active_run_id: "run" }));
    const snapshot: EventOf<"snapshot"> = {
      seq: 9,
      thread_id: thread.id,
      at: 1,
      type: "snapshot",
      thread,
      messages: [],
      partial: [],
    };
    const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };
    const ended = { reason: null, outcome: null, usage, cost: 0, message_ids: [], error: null };
    const [dropped] = numbered([{ type: "run_end", status: "stopped", ...ended }], 10);
    const view = foldAll([snapshot, { ...dropped, run_id: "queued" } as PlainEvent]);
    expect([view.active_run_id, view.thread?.status]).toEqual(["run", status]);
    expect(view.runs["queued"]?.status).toBe("stopped");
    const [own] = numbered([{ type: "run_end", status: "completed", ...ended }], 11);
    expect(fold(view, own as PlainEvent).thread).toMatchObject({ active_run_id: null, status: "idle" });
  },
);

it.each(["running", "awaiting_tool_execution"] as const)(
  "The folded view takes the status of an active run from the snapshot's thread record, also if the snapshot's events differ: %s",
  (status) => {
    const start = { type: "run_start", agent_id: "a", kind: "message", trigger: "user", parent_run_id: null } as const;
    const wait: EventDraft = { type: "awaiting_tool_execution", tool_calls: [] };
    for (const partial of [numbered([start]), numbered([start, wait]), numbered([start, wait, ...worked(1, "out")])]) {
      const thread = toThread(threadRecord({ status, active_run_id: "run" }));
      const snapshot: EventOf<"snapshot"> = {
        seq: 9,
        thread_id: thread.id,
        at: 1,
        type: "snapshot",
        thread,
        messages: [],
        partial,
      };
      expect(foldAll([snapshot]).runs["run"]?.status).toBe(status);
    }
  },
);

it("The folded view replaces a changed message at its position, and removes a deleted message with the state of its tools", () => {
  const emitted = [...spoken(1, "one", []), ...worked(2, "two"), ...spoken(3, "three", [])];
  const changed = messageAt(1, { content: "changed" });
  const events = numbered([
    ...emitted,
    { type: "message_updated", message_id: changed.id, message: changed },
    { type: "message_deleted", message_id: idAt(2), message: messageAt(2) },
  ]);
  const view = foldAll(events);
  expect(view.messages.map(({ content }) => content)).toEqual(["changed", "three"]);
  expect(view.tools).toEqual({});
});
