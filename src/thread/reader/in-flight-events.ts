// Events of the executed run that no row contains yet, such as growing answers and running tools. Deltas of one content block, or of one
// tool's output, are merged into one event. A new reader receives these events after the events that are replayed from rows.

import type { PlainEvent } from "#contract/event.ts";

import { isDelta, merged } from "./fan-out.ts";

/** A step whose rows are written. */
export interface RecordedStep {
  /** Number of the step in its loop. */
  step: number;
  depth: number;
  /** Id of the tool message whose nested loop the step belongs to; undefined for the run's main loop. */
  under: string | undefined;
  /** Ids of the answer and of the results of its calls. */
  messages: ReadonlySet<string>;
}

/** Events of the executed run since its last row. */
export class InFlightEvents {
  #events: PlainEvent[] = [];
  /** `#events` has every event with a higher number. Events up to this number may only be in rows. */
  #completeAfter: number;
  #last: number;

  /** Events up to `last` were sent before this object was loaded. */
  constructor(last: number) {
    this.#completeAfter = last;
    this.#last = last;
  }

  /** Number of the last event that was sent. */
  get last(): number {
    return this.#last;
  }

  /** Adds an event that is about to be sent. */
  add(event: PlainEvent): void {
    this.#last = event.seq;
    // Events outside of runs are in rows already. Those of child threads are not kept: a client that connects later reads the child thread.
    if (event.run_id === undefined || event.type === "subagent_event") {
      this.#completeAfter = event.seq;
      return;
    }
    if (event.type === "message_retracted") {
      this.#events = this.#events.filter((known) => known.message_id !== event.message_id);
    }
    // Each plan replaces the one before it. Plans may be large, and a run may change its plan in each of its steps. The end of a step has the
    // totals of the run, so a new reader needs only the last one.
    if (event.type === "plan" || event.type === "step_end") {
      this.#keep(({ type, silent }) => type !== event.type || silent !== event.silent);
    }
    if (!isDelta(event)) {
      this.#events.push(event);
      return;
    }
    const at = this.#events.findLastIndex((known) => isSameBlock(known, event));
    const known = this.#events[at];
    if (known === undefined) {
      this.#events.push(event);
      return;
    }
    this.#events.splice(at, 1);
    this.#events.push(merged(known, event));
  }

  /** Removes the events of a step after its rows were written. Events of other steps stay. */
  removeStep({ step, depth, under, messages }: RecordedStep): void {
    this.#keep((event) => {
      if (event.message_id !== undefined) return !messages.has(event.message_id);
      return event.step !== step || event.depth !== depth || event.parent_id !== under;
    });
  }

  /** Removes all events after their rows were written. */
  clear(): void {
    this.#keep(() => false);
  }

  /** Returns every event after a number, in order; null if some of them are only in rows. */
  allAfter(after: number): PlainEvent[] | null {
    return after < this.#completeAfter ? null : this.#events.filter(({ seq }) => seq > after);
  }

  /** All events, in order. */
  events(): readonly PlainEvent[] {
    return this.#events;
  }

  #keep(isKept: (event: PlainEvent) => boolean): void {
    for (const event of this.#events) {
      if (!isKept(event)) this.#completeAfter = Math.max(this.#completeAfter, event.seq);
    }
    this.#events = this.#events.filter(isKept);
  }
}

/** True for deltas of the same block of a message, or of the same tool's output. */
function isSameBlock(known: PlainEvent, event: PlainEvent): boolean {
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
