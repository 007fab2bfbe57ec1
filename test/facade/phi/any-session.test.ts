// Recorders over any order of events: the records of interleaved loops, flushes and drains at any point, and stored sessions (REQ-213, 214, 221).

import fc from "fast-check";
import { expect, it } from "vitest";

import type { AgentEvent } from "#facade/phi/index.ts";
import {
  drainSessions,
  flushSessions,
  foldSession,
  memorySessions,
  newRecorderState,
  SessionRecorder,
} from "#facade/phi/session/index.ts";
import type { RecorderState, SessionData } from "#facade/phi/session/index.ts";

import { at, branches, called, ended, selected, shown, started, updated } from "./support/session-events.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** Prints the seed with each failure, so that `SEED` plays it again. */
const check = (property: fc.IProperty<[never]> | fc.IRawProperty<unknown>, numRuns = 300) =>
  fc.assert(property as fc.IProperty<unknown>, { seed, numRuns });

const branch = fc.record({
  begin: fc.nat(9),
  texts: fc.array(fc.string(), { maxLength: 4 }),
  /** Calls that run a loop of another session. */
  children: fc.nat(2),
  /** A branch whose hook refuses it has only an end. One without an end was cut off. */
  life: fc.constantFrom("whole", "whole", "whole", "refused", "silent", "rejected"),
  isContinued: fc.boolean(),
});

/** Streams of events. The events of one stream are in order, and any two streams can be interleaved. */
interface Plan {
  before: AgentEvent[];
  streams: AgentEvent[][];
  after: AgentEvent[];
}

const plan: fc.Arbitrary<Plan> = fc
  .record({ list: fc.array(branch, { minLength: 1, maxLength: 4 }), isGroup: fc.boolean() })
  .map(({ list, isGroup }) => {
    const ids = list.map((_branch, index) => `s.main.${index + 1}`);
    const streams: AgentEvent[][] = [];
    for (const [index, { begin, texts, children, life, isContinued }] of list.entries()) {
      const id = ids[index] ?? "";
      const origin =
        isContinued && index > 0 ? { parent_loop_id: "s.main.1", continuation_kind: "Default" as const } : {};
      const events: AgentEvent[] = life === "refused" || life === "silent" ? [] : [started(id, begin, origin)];
      if (life === "whole") {
        events.push(...texts.flatMap((text) => [updated(id, text), shown(id, text)]));
        for (let child = 0; child < children; child += 1) {
          const childId = `c${index}x${child}.sub.1`;
          streams.push([started(childId, begin + child, { parent_loop_id: id }), ended(childId, begin + 5)]);
          events.push(called(id, `call ${child}`, childId));
        }
      }
      if (life === "rejected") events.push(ended(id, begin + 1, { rejection: "No.", messages: [] }));
      else if (life !== "silent") events.push(ended(id, begin + 10, life === "refused" ? { messages: [] } : {}));
      streams.push(events);
    }
    const before = isGroup ? [branches("s", ids, 0)] : [];
    return { before, streams, after: isGroup ? [selected("s", ids[0] ?? "", 0, 30)] : [] };
  });

/** Interleaves streams: each number chooses the stream that sends next. */
function interleaved({ before, streams, after }: Plan, choices: readonly number[]): AgentEvent[] {
  const rest = streams.map((stream) => [...stream]);
  const order: AgentEvent[] = [...before];
  for (let step = 0; rest.some((stream) => stream.length > 0); step += 1) {
    const waiting = rest.filter((stream) => stream.length > 0);
    const next = waiting[(choices[step % Math.max(1, choices.length)] ?? 0) % waiting.length]?.shift();
    if (next !== undefined) order.push(next);
  }
  return [...order, ...after];
}

const choices = fc.array(fc.nat(11), { maxLength: 40 });

/** The sessions, in the order of their ids. */
function sessionsOf({ sessions }: RecorderState): SessionData[] {
  return sessions.map(({ data }) => data).toSorted((one, other) => (one.session_id < other.session_id ? -1 : 1));
}

const folded = (events: readonly AgentEvent[], state: RecorderState = newRecorderState()) =>
  events.reduce((current, event) => foldSession(current, event), state);

const loopIds = (sessions: readonly SessionData[]) =>
  sessions.flatMap(({ loops }) => loops.map(({ loop_id }) => loop_id));

/** Freezes a value and everything in it. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

it("The events of several loops give the same records in whatever order the loops are interleaved", () => {
  check(
    fc.property(plan, choices, (given, order) => {
      expect(sessionsOf(folded(interleaved(given, order)))).toEqual(sessionsOf(folded(interleaved(given, []))));
    }),
  );
});

it("A flush after any number of events leaves no loop that is pending or runs, and a drain then returns every session once", () => {
  check(
    fc.property(plan, choices, fc.nat(60), (given, order, count) => {
      const state = flushSessions(folded(interleaved(given, order).slice(0, count)));
      const open = sessionsOf(state).flatMap(({ loops }) =>
        loops.filter(({ status }) => status === "Pending" || status === "Running"),
      );
      expect(open).toEqual([]);
      const first = drainSessions(state);
      expect(first.drained.map(({ session_id }) => session_id).toSorted()).toEqual(
        sessionsOf(state).map(({ session_id }) => session_id),
      );
      expect(drainSessions(first.state).drained).toEqual([]);
    }),
  );
});

it("Flushes and drains between events duplicate no loop, and change nothing of the records once the loops have ended", () => {
  const steps = fc.array(fc.constantFrom("flush", "drain", "event", "event"), { maxLength: 40 });
  check(
    fc.property(plan, choices, steps, (given, order, done) => {
      const events = interleaved(given, order);
      let state = newRecorderState();
      const handed = new Map<string, SessionData>();
      const drain = (): void => {
        const { state: next, drained } = drainSessions(state);
        for (const session of drained) handed.set(session.session_id, session);
        state = next;
      };
      for (const [step, event] of events.entries()) {
        if (done[step] === "flush") state = flushSessions(state);
        if (done[step] === "drain") drain();
        state = foldSession(state, event);
        const ids = loopIds(sessionsOf(state));
        expect(new Set(ids).size).toBe(ids.length);
      }
      const expected = flushSessions(folded(events));
      state = flushSessions(state);
      expect(sessionsOf(state)).toEqual(sessionsOf(expected));
      drain();
      // The last copy of each session is the whole session.
      const saved = [...handed.values()].toSorted((one, other) => (one.session_id < other.session_id ? -1 : 1));
      expect(saved).toEqual(sessionsOf(expected));
    }),
  );
});

it("A fold changes neither the state nor the event that it is given, and a state that JSON restored continues the same", () => {
  check(
    fc.property(plan, choices, (given, order) => {
      const events = frozen(interleaved(given, order));
      let state = frozen(newRecorderState());
      for (const event of events) state = frozen(foldSession(state, event));
      const half = Math.floor(events.length / 2);
      const restored = JSON.parse(JSON.stringify(folded(events.slice(0, half)))) as RecorderState;
      expect(sessionsOf(folded(events.slice(half), restored))).toEqual(sessionsOf(state));
    }),
  );
});

it("A recorder has the records of the fold, and a second beginning or end of a loop changes nothing", () => {
  check(
    fc.property(plan, choices, (given, order) => {
      const recorder = new SessionRecorder();
      const events = interleaved(given, order);
      for (const event of events) {
        recorder.onEvent(event);
        const { state } = recorder;
        if (event.type === "AgentEnd")
          recorder.onEvent({ ...event, messages: [], timestamp: at(99), rejection: "late" });
        else if (event.type === "AgentStart")
          recorder.onEvent({ ...event, metadata: "again", timestamp: at(99), parent_loop_id: "c0x0.sub.1" });
        else continue;
        expect(recorder.state).toEqual(state);
      }
      expect(sessionsOf(recorder.state)).toEqual(sessionsOf(folded(events)));
    }),
  );
});

it("A session that was saved is loaded as it was, whatever its events contain", async () => {
  await fc.assert(
    fc.asyncProperty(plan, choices, fc.jsonValue(), async (given, order, metadata) => {
      const events = interleaved(given, order).map((event) =>
        event.type === "AgentStart" ? { ...event, metadata: metadata as never } : event,
      );
      const store = memorySessions();
      const recorder = new SessionRecorder({ include_streaming_events: true });
      for (const event of events) recorder.onEvent(event);
      for (const session of recorder.sessions()) {
        await store.save(session);
        const loaded = await store.load(session.session_id);
        expect(JSON.stringify(loaded)).toBe(JSON.stringify(session));
        expect(loaded).toEqual(session);
      }
    }),
    { seed, numRuns: 100 },
  );
});
