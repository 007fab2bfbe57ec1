// Checks the contract's order of events ("Order in a step"): it reads a run's events as a subscriber would and lists every fault.

import { eventSchema } from "#contract/event.ts";
import type { EventOf, PlainEvent } from "#contract/event.ts";

interface OpenMessage {
  id: string;
  blocks: Map<number, { kind: string; length: number; open: boolean }>;
  lastIndex: number;
}

/** Reads events one by one and adds to `faults`. */
class GrammarReader {
  readonly faults: string[] = [];
  #seq = 0;
  #ended = 0;
  #step: number | null = null;
  #message: OpenMessage | null = null;
  /** Calls of the open step's answer: whether each has begun and ended. */
  #calls = new Map<string, "asked" | "running" | "ended">();
  /** The tool message that must follow, and which of its two events. */
  #due: { id: string; half: "message_start" | "message_end" } | null = null;

  read(event: PlainEvent): void {
    const parsed = eventSchema.safeParse(event);
    if (!parsed.success) this.#fault(event, `does not fit the contract: ${parsed.error.message}`);
    if (event.seq <= this.#seq) this.#fault(event, "its number does not rise");
    this.#seq = event.seq;
    if (this.#ended > 0) this.#fault(event, "comes after the run's end");
    if (this.#due !== null && event.type !== this.#due.half) this.#fault(event, `stands before ${this.#due.half}`);
    this.#apply(event);
  }

  /** Checks the end, after the last event of a run that ended. */
  end(): void {
    if (this.#ended !== 1) this.faults.push(`run_end was emitted ${this.#ended} times`);
    if (this.#step !== null) this.faults.push(`step ${this.#step} has no end`);
    if (this.#message !== null) this.faults.push(`message ${this.#message.id} has no end`);
  }

  #fault(event: PlainEvent, what: string): void {
    this.faults.push(`${event.seq} ${event.type}: ${what}`);
  }

  #apply(event: PlainEvent): void {
    switch (event.type) {
      case "run_end":
        this.#ended += 1;
        return;
      case "step_start":
        // A step that was suspended or interrupted begins again under its number.
        if (this.#step !== null && this.#step !== event.step) this.#fault(event, `step ${this.#step} is open`);
        this.#step = event.step ?? null;
        this.#calls = new Map();
        return;
      case "step_end":
        return this.#endStep(event);
      case "message_start":
        return event.role === "tool" ? this.#toolHalf(event) : this.#startMessage(event);
      case "message_end":
        return event.message.role === "tool" ? this.#toolHalf(event) : this.#endMessage(event);
      case "message_retracted":
        if (event.message_id !== undefined && this.#message?.id !== event.message_id) {
          this.#fault(event, "retracts what is not open");
        }
        this.#message = null;
        return;
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
      case "text_end":
      case "thinking_end":
      case "toolcall_end":
        return this.#block(event);
      case "tool_execution_start":
        if (!this.#calls.has(event.tool_call_id)) this.#fault(event, "nobody asked for this call");
        if (this.#calls.get(event.tool_call_id) === "ended") this.#fault(event, "the call has ended");
        this.#calls.set(event.tool_call_id, "running");
        return;
      case "tool_execution_delta":
        if (this.#calls.get(event.tool_call_id) !== "running") this.#fault(event, "the call is not running");
        return;
      case "tool_execution_end":
        if (!this.#calls.has(event.tool_call_id)) this.#fault(event, "nobody asked for this call");
        this.#calls.set(event.tool_call_id, "ended");
        this.#due = { id: event.message_id ?? "", half: "message_start" };
        return;
      default:
    }
  }

  #startMessage(event: EventOf<"message_start">): void {
    if (event.role === "assistant" && this.#step === null) this.#fault(event, "no step is open");
    if (this.#message !== null) this.#fault(event, `message ${this.#message.id} is open`);
    this.#message = { id: event.message_id ?? "", blocks: new Map(), lastIndex: -1 };
  }

  #endMessage(event: EventOf<"message_end">): void {
    const open = this.#message;
    if (open === null || open.id !== event.message_id) return this.#fault(event, "the message was not begun");
    const kept = new Set(event.message.parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : [])));
    for (const [index, block] of open.blocks) {
      if (block.open && block.kind !== "toolcall") this.#fault(event, `block ${index} (${block.kind}) has no end`);
    }
    for (const id of kept) this.#calls.set(id, "asked");
    this.#message = null;
  }

  #block(event: Extract<PlainEvent, { index: number }>): void {
    const open = this.#message;
    if (open === null || open.id !== event.message_id) return this.#fault(event, "its message is not open");
    const [kind = "", what] = event.type.split("_");
    const block = open.blocks.get(event.index);
    if (what === "start") {
      if (event.index <= open.lastIndex) this.#fault(event, "indexes do not rise");
      open.lastIndex = event.index;
      open.blocks.set(event.index, { kind, length: 0, open: true });
      return;
    }
    if (block === undefined || !block.open || block.kind !== kind) return this.#fault(event, "its block is not open");
    if (what === "end") block.open = false;
    if ("delta" in event) {
      if (event.offset !== block.length) this.#fault(event, `offset ${event.offset}, but ${block.length} was emitted`);
      block.length += event.delta.length;
    }
  }

  #toolHalf(event: EventOf<"message_start" | "message_end">): void {
    if (this.#due === null || this.#due.id !== event.message_id || this.#due.half !== event.type) {
      return this.#fault(event, "a tool message does not follow its call's end");
    }
    this.#due = event.type === "message_start" ? { id: this.#due.id, half: "message_end" } : null;
  }

  #endStep(event: EventOf<"step_end">): void {
    if (this.#step === null || this.#step !== event.step) this.#fault(event, "the step was not begun");
    if (this.#message !== null) this.#fault(event, `message ${this.#message.id} is open`);
    for (const [id, state] of this.#calls) if (state !== "ended") this.#fault(event, `call ${id} has no end`);
    this.#step = null;
    this.#calls = new Map();
  }
}

/** All faults in the events of a run; `over` if its end is among them. */
export function grammarFaults(events: readonly PlainEvent[], { over }: { over: boolean }): string[] {
  const reader = new GrammarReader();
  for (const event of events) reader.read(event);
  if (over) reader.end();
  return reader.faults;
}
