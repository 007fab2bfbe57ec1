// What is in flight and in no row yet: the answer that grows and the tools that run, as the events a reader who was there
// from the start would have folded, deltas merged. A late reader is given these after the replay of rows.

import type { PlainEvent } from "#contract/event.ts";

import { isDelta, merged } from "./delta-buffer.ts";

/** A step whose row is written: its number on its line, its answer and the results of its calls. */
export interface RecordedStep {
  step: number;
  depth: number;
  /** What the line hangs under. */
  under: string | undefined;
  messages: ReadonlySet<string>;
}

/** Events of the running run since its last row. */
export class Partial {
  #events: PlainEvent[] = [];
  /** What was told up to here need not be kept here; everything told since is. */
  #wholeAfter: number;
  #last: number;

  /** Up to `last` events were told before. */
  constructor(last: number) {
    this.#wholeAfter = last;
    this.#last = last;
  }

  /** Number of the last event that was told. */
  get last(): number {
    return this.#last;
  }

  /** Takes every event of a run as it is told. */
  add(event: PlainEvent): void {
    this.#last = event.seq;
    // What a child does is told and not kept: whoever comes later reads the child.
    if (event.run_id === undefined || event.type === "subagent_event") {
      this.#wholeAfter = event.seq;
      return;
    }
    if (event.type === "message_retracted") {
      this.#events = this.#events.filter((known) => known.message_id !== event.message_id);
    }
    if (!isDelta(event)) {
      this.#events.push(event);
      return;
    }
    const at = this.#events.findLastIndex((known) => sameBlock(known, event));
    const known = this.#events[at];
    if (known === undefined) {
      this.#events.push(event);
      return;
    }
    this.#events.splice(at, 1);
    this.#events.push(merged(known, event));
  }

  /** Forgets a step that rows now hold; what other lines of the run are doing stays. */
  forget({ step, depth, under, messages }: RecordedStep): void {
    this.#keep((event) => {
      if (event.message_id !== undefined) return !messages.has(event.message_id);
      return event.step !== step || event.depth !== depth || event.parent_id !== under;
    });
  }

  /** Rows hold everything. */
  clear(): void {
    this.#keep(() => false);
  }

  /** Everything told after a number, in the order of `seq`; null where some of it stands in rows alone. */
  toldAfter(after: number): PlainEvent[] | null {
    return after < this.#wholeAfter ? null : this.#events.filter(({ seq }) => seq > after);
  }

  #keep(isKept: (event: PlainEvent) => boolean): void {
    for (const event of this.#events) {
      if (!isKept(event)) this.#wholeAfter = Math.max(this.#wholeAfter, event.seq);
    }
    this.#events = this.#events.filter(isKept);
  }

  /** In order of `seq`. */
  events(): readonly PlainEvent[] {
    return this.#events;
  }
}

function sameBlock(known: PlainEvent, event: PlainEvent): boolean {
  if (known.type !== event.type || !("offset" in event)) return false;
  if (event.type === "tool_execution_delta") {
    return (
      known.type === "tool_execution_delta" &&
      known.tool_call_id === event.tool_call_id &&
      (known.delta === undefined) === (event.delta === undefined)
    );
  }
  return "index" in known && "index" in event && known.message_id === event.message_id && known.index === event.index;
}
