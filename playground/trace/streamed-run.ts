// Reads the times of a run from its events: steps, model attempts, calls and waits. The events are read in order of
// their numbers; what has not ended then is still running. The log has more data about what has ended; build-trace.ts
// combines the two.

import type { EventOf, Json, RunError, ThreadEvent, Usage } from "threadhold/client";

import { count } from "../kit/figures.ts";
import { stepKey } from "./step-key.ts";
import type { StepPlace } from "./trace-node.ts";

export interface StreamedStep {
  place: StepPlace;
  side: string | null;
  /** Its purpose in the strategy of the turn; null for a step of a plain loop. */
  phase: string | null;
  /** The reasoning that its answer consists of; null for any other answer. */
  reasoning: string | null;
  /** The plan after the step, if it was made or has changed there. */
  plan: EventOf<"plan">["steps"] | null;
  start: number;
  end: number | null;
}

export interface StreamedAttempt {
  place: StepPlace;
  model: string;
  attempt: number;
  start: number;
  end: number | null;
  /** When the first block started. */
  first: number | null;
  message_id: string | null;
  error: RunError | null;
  /** A crash interrupted the attempt, so the log has no row of it. */
  cut: boolean;
  stop_reason: string | null;
  usage: Usage | null;
  cost: number | null;
}

export interface StreamedCall {
  place: StepPlace;
  call_id: string;
  name: string;
  message_id: string | null;
  args: Json;
  output: string;
  progress: Json;
  result: EventOf<"tool_execution_end">["result"] | null;
  is_error: boolean;
  duration_ms: number | null;
  start: number;
  end: number | null;
  /**
   * The id of the child thread that answers the call; null if a prompt or an agent in this thread answers it; undefined for
   * a plain tool.
   */
  child_thread_id: string | null | undefined;
  remote: boolean;
}

export interface StreamedWait {
  /** Null if it belongs to the run as a whole. */
  place: StepPlace | null;
  waits_for: "approval" | "remote" | "limit" | "question" | "back-off";
  name: string;
  call_id: string | null;
  start: number;
  end: number | null;
}

export interface StreamedNote {
  at: number;
  name: string;
  aside: string | null;
  failed: boolean;
  data: Json;
}

/** The data of a run's events. */
export interface StreamedRun {
  start: number | null;
  end: number | null;
  steps: StreamedStep[];
  attempts: StreamedAttempt[];
  calls: StreamedCall[];
  waits: StreamedWait[];
  notes: StreamedNote[];
}

/** Reads the events. Events of other runs are ignored. */
export function streamedRun(events: Iterable<ThreadEvent>, runId: string): StreamedRun {
  const reader = new Reader();
  for (const event of events) if (event.run_id === runId) reader.take(event);
  return reader.finish();
}

class Reader {
  readonly streamed: StreamedRun = { start: null, end: null, steps: [], attempts: [], calls: [], waits: [], notes: [] };
  readonly #steps = new Map<string, StreamedStep>();
  /** The current attempt of each scope. */
  readonly #open = new Map<string | null, StreamedAttempt>();
  readonly #calls = new Map<string, StreamedCall>();
  readonly #waits = new Map<string, StreamedWait>();
  #compacted: EventOf<"compaction_start"> | null = null;

  take(event: ThreadEvent): void {
    const place = placeOf(event);
    if (event.type !== "awaiting_tool_execution") this.#endLimit(event.at);
    switch (event.type) {
      case "run_start":
        this.streamed.start = event.at;
        return;
      case "run_end":
        this.#endAll(event.at);
        return;
      case "step_start":
        this.#step(place, event).phase = event.phase ?? null;
        this.#begin({ place, model: event.model, attempt: event.attempt, start: event.at });
        return;
      case "step_end": {
        const step = this.#step(place, event);
        step.end = event.at;
        this.#close(place.under, event.at);
        return;
      }
      case "reasoning":
        this.#step(place, event).reasoning = event.text;
        return;
      case "plan":
        this.#step(place, event).plan = event.steps;
        return;
      case "message_start":
        this.#answerBegins(place, event);
        return;
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
      case "provider_tool_start": {
        const open = this.#open.get(place.under);
        if (open !== undefined) open.first ??= event.at;
        return;
      }
      case "message_end":
        this.#answerEnds(place, event);
        return;
      case "message_retracted":
        if (event.reason === "recovery") this.#cut(event.at);
        return;
      case "model_retry":
        this.#retry(place, event);
        return;
      case "model_fallback":
        this.#close(place.under, event.at, { error: event.error });
        this.#begin({ place, model: event.to, attempt: 1, start: event.at });
        return;
      case "tool_execution_start":
      case "tool_execution_delta":
      case "tool_execution_end":
      case "subagent_start":
        this.#call(place, event);
        return;
      case "awaiting_tool_execution":
        this.#awaiting(event);
        return;
      case "compaction_start":
        this.#compacted = event;
        return;
      case "compaction_end":
        this.#note(event.at, "Request compacted", compactionText(this.#compacted?.tokens ?? null, event));
        return;
      case "agent_handoff":
        this.#note(event.at, `${event.from} handed off to ${event.to}`);
        return;
      case "error":
        this.streamed.notes.push({ at: event.at, name: "Error", aside: event.message, failed: true, data: event.code });
        return;
      default:
        return;
    }
  }

  #step(place: StepPlace, { at, side }: ThreadEvent): StreamedStep {
    const key = stepKey(place);
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const step: StreamedStep = {
      place,
      side: side ?? null,
      phase: null,
      reasoning: null,
      plan: null,
      start: at,
      end: null,
    };
    this.#steps.set(key, step);
    this.streamed.steps.push(step);
    return step;
  }

  #begin(from: Pick<StreamedAttempt, "place" | "model" | "attempt" | "start">): void {
    // The attempt is listed when it ends. One without any event has not started, because the run was suspended before
    // it.
    const nothing = {
      end: null,
      first: null,
      message_id: null,
      error: null,
      stop_reason: null,
      usage: null,
      cost: null,
    };
    this.#open.set(from.place.under, { ...from, ...nothing, cut: false });
  }

  #close(under: string | null, at: number, as: Partial<StreamedAttempt> = {}): void {
    const open = this.#open.get(under);
    if (open === undefined) return;
    this.#open.delete(under);
    this.streamed.attempts.push({ ...open, end: Math.max(at, open.start), ...as });
  }

  #answerBegins(place: StepPlace, event: EventOf<"message_start">): void {
    const { role, message_id, step, side } = event;
    if (role === "user" && side !== "b") return;
    if (role === "tool" || step === undefined) return;
    const open = this.#open.get(place.under);
    if (open !== undefined) open.message_id = message_id ?? null;
    // Calls that a definition queued: they are a step without a model request.
    else this.#step(place, event);
  }

  #answerEnds(place: StepPlace, { message, at }: EventOf<"message_end">): void {
    const open = this.#open.get(place.under);
    if (open === undefined || open.message_id !== message.id) return;
    const { usage, cost, stop_reason } = message;
    this.#close(place.under, at, { usage, cost, stop_reason });
  }

  /** Closes the open attempts after a crash: their requests are repeated. */
  #cut(at: number): void {
    for (const under of this.#open.keys()) this.#close(under, at, { cut: true });
    this.#note(at, "Resumed after an interruption");
  }

  #retry(place: StepPlace, { at, delay_ms, error, attempt }: EventOf<"model_retry">): void {
    const open = this.#open.get(place.under);
    this.#close(place.under, at, { error });
    const start = at + delay_ms * 1000;
    const wait = { place, waits_for: "back-off", name: "Back-off", call_id: null, start: at, end: start } as const;
    this.streamed.waits.push(wait);
    this.#begin({ place, model: open?.model ?? "", attempt, start });
  }

  #call(
    place: StepPlace,
    event: EventOf<"tool_execution_start" | "tool_execution_delta" | "tool_execution_end" | "subagent_start">,
  ): void {
    const key = event.message_id ?? ("tool_call_id" in event ? event.tool_call_id : event.parent_tool_call_id);
    const call = this.#calls.get(key);
    switch (event.type) {
      case "tool_execution_start": {
        const { at, tool_call_id, tool_name: name, args, message_id = null } = event;
        this.#endWait(tool_call_id, at, "approval");
        if (call !== undefined) return;
        const said = { output: "", progress: null, result: null, is_error: false, duration_ms: null };
        const of = { place, call_id: tool_call_id, name, message_id, args, start: at, end: null };
        const begun: StreamedCall = { ...of, ...said, child_thread_id: undefined, remote: false };
        this.#calls.set(key, begun);
        this.streamed.calls.push(begun);
        this.#step(place, event);
        return;
      }
      case "subagent_start":
        // The function of a tool may run models: the call stays one of a tool.
        if (call === undefined || (event.child_thread_id === undefined && event.subagent_id !== event.message_id))
          return;
        call.child_thread_id = event.child_thread_id ?? null;
        return;
      case "tool_execution_delta":
        if (call === undefined) return;
        if (event.delta !== undefined) call.output = call.output.slice(0, event.offset) + event.delta;
        call.progress = event.progress ?? call.progress;
        return;
      case "tool_execution_end":
        this.#endWait(event.tool_call_id, event.at);
        if (call === undefined) return;
        call.end = event.at;
        call.result = event.result;
        call.is_error = event.is_error;
        call.duration_ms = event.duration_ms;
        return;
    }
  }

  #awaiting({ at, tool_calls }: EventOf<"awaiting_tool_execution">): void {
    for (const { id, name, kind, message_id, thread_id } of tool_calls) {
      if (this.#waits.has(id)) continue;
      const call = [...this.#calls.values()].find(({ message_id: known }) => known === message_id);
      if (kind === "remote" && call !== undefined) call.remote = true;
      const place = thread_id === undefined && kind !== "limit" ? (call?.place ?? this.#lastPlace()) : null;
      const wait: StreamedWait = { place, waits_for: kind, name, call_id: id, start: at, end: null };
      this.#waits.set(id, wait);
      this.streamed.waits.push(wait);
    }
    const open = new Set(tool_calls.map(({ id }) => id));
    // A child thread's call that was answered there is no longer listed. A wait of this thread ends with its call.
    for (const [id, wait] of this.#waits) if (!open.has(id) && wait.place === null) this.#endWait(id, at);
  }

  #lastPlace(): StepPlace | null {
    return this.streamed.steps.findLast(({ end }) => end === null)?.place ?? null;
  }

  #endWait(id: string, at: number, only?: StreamedWait["waits_for"]): void {
    const wait = this.#waits.get(id);
    if (wait === undefined || (only !== undefined && wait.waits_for !== only)) return;
    wait.end ??= at;
  }

  /** Ends the waits at a limit: a run that continues has a higher limit. */
  #endLimit(at: number): void {
    for (const wait of this.#waits.values()) if (wait.waits_for === "limit") wait.end ??= at;
  }

  #endAll(at: number): void {
    this.streamed.end = at;
    for (const under of this.#open.keys()) this.#close(under, at);
    for (const step of this.streamed.steps) step.end ??= at;
    for (const wait of this.streamed.waits) wait.end ??= at;
    for (const call of this.streamed.calls) call.end ??= at;
  }

  #note(at: number, name: string, aside: string | null = null): void {
    this.streamed.notes.push({ at, name, aside, failed: false, data: null });
  }

  /** Returns the data, including attempts that are still running. */
  finish(): StreamedRun {
    return { ...this.streamed, attempts: [...this.streamed.attempts, ...this.#open.values()] };
  }
}

/** What a compaction changed. `before`: the tokens of the request before it; null if that event was not received. */
function compactionText(before: number | null, { tokens, dropped }: EventOf<"compaction_end">): string {
  const change = before === null ? `to ${count(tokens)} tokens` : `from ${count(before)} to ${count(tokens)} tokens`;
  if (dropped === 0) return change;
  return `${change}; ${dropped === 1 ? "1 message is" : `${count(dropped)} messages are`} no longer sent`;
}

function placeOf({ parent_id, step }: ThreadEvent): StepPlace {
  return { under: parent_id ?? null, step: step ?? 0 };
}
