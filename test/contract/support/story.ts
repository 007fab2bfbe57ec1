// Random sequences of a thread's events: answers that stream, retractions, tools that end in any order.

import fc from "fast-check";

import type { EventDraft, PlainEvent } from "#contract/event.ts";
import type { Message } from "#contract/thread-message.ts";

import { messageRecord } from "../../support/records.ts";

const thread = "3f0a0000-0000-4000-8000-000000000001";

/** A whole message at a position, which its id contains. */
export function messageAt(position: number, changes: Partial<Message> = {}): Message {
  const id = idAt(position);
  const own = { id, role: "assistant", created_at: 1, position: id, run_id: "run", side: "a" } as const;
  return messageRecord({ ...own, ...changes });
}

export function idAt(position: number): string {
  return `m${String(position).padStart(4, "0")}`;
}

/** Numbers events from `first`. */
export function numbered(drafts: readonly EventDraft[], first = 1): PlainEvent[] {
  return drafts.map(
    (draft, at) => ({ ...draft, seq: first + at, thread_id: thread, at: 1, run_id: "run" }) as PlainEvent,
  );
}

/** The deltas of a block, split at `cuts`. */
export function deltas(of: { message_id: string; index: number }, text: string, cuts: readonly number[]): EventDraft[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, at) => {
    const offset = places[at] ?? 0;
    return { type: "text_delta", ...of, offset, delta: text.slice(offset, end) };
  });
}

/** A text message from its start to its end. */
export function spoken(position: number, text: string, cuts: readonly number[]): EventDraft[] {
  const of = { message_id: idAt(position), index: 0 };
  const message = messageAt(position, { parts: [{ type: "text", text }], content: text });
  return [
    { type: "message_start", message_id: of.message_id, role: "assistant", position: of.message_id },
    { type: "text_start", ...of },
    ...deltas(of, text, cuts),
    { type: "text_end", ...of, text },
    { type: "message_end", message_id: of.message_id, message },
  ];
}

/** The events and the message of a tool call. */
export function worked(position: number, output: string): EventDraft[] {
  const of = { message_id: idAt(position), tool_call_id: `c${position}`, tool_name: "it" };
  const result = { status: "success", result: output } as const;
  const message = messageAt(position, { role: "tool", tool_call_id: of.tool_call_id, result });
  return [
    { type: "tool_execution_start", ...of, args: {} },
    { type: "tool_execution_delta", ...of, offset: 0, delta: output },
    { type: "tool_execution_delta", ...of, progress: 1 },
    { type: "tool_execution_end", ...of, result, is_error: false, duration_ms: 1 },
    { type: "message_start", message_id: of.message_id, role: "tool", position: of.message_id },
    { type: "message_end", message_id: of.message_id, message },
  ];
}

/** A partial answer that is retracted. */
export function retracted(position: number, text: string): EventDraft[] {
  const of = { message_id: idAt(position) };
  return [...spoken(position, text, []).slice(0, -2), { type: "message_retracted", ...of, reason: "retry" }];
}

const scene = fc.record({
  kind: fc.constantFrom("spoken" as const, "worked" as const, "retracted" as const),
  // No surrogates: half a pair in a failure's report breaks the connection to the reporter.
  text: fc.string({ unit: fc.constantFrom("a", "b", "é", "漢", "\n"), minLength: 1, maxLength: 12 }),
  cuts: fc.array(fc.nat(20), { maxLength: 4 }),
  place: fc.nat(30),
});

/** Events of a thread, numbered from 1; messages arrive in any order of their positions. */
export const story: fc.Arbitrary<PlainEvent[]> = fc
  .uniqueArray(scene, { maxLength: 8, selector: ({ place }) => place })
  .map((scenes) =>
    numbered([
      { type: "run_start", agent_id: "a", kind: "message", trigger: "user", parent_run_id: null },
      ...scenes.flatMap(({ kind, text, cuts, place }) => {
        if (kind === "spoken") return spoken(place, text, cuts);
        return kind === "worked" ? worked(place, text) : retracted(place, text);
      }),
    ]),
  );
