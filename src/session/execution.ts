// One execution: drives the loop to its end or its rest, and tells what happens as the rework plan's events.

import type { EventDraft, PlainEvent } from "#contract/event.ts";
import type { AgentEvent } from "#contract/session/agent-event.ts";
import { AgentEvents } from "#contract/session/execution-events.ts";
import type { ExecuteResult } from "#contract/session/execution-events.ts";
import { wordsOf } from "#core/cut-text.ts";
import { run as loop } from "#core/loop.ts";
import type { Halt } from "#core/loop.ts";
import type { EventSink } from "#core/ports/event-sink.ts";
import type { RunEnd } from "#core/ports/strategy.ts";
import type { MessageRecord } from "#core/record.ts";
import { toMessage } from "#core/view.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { Conversation, OpenRun } from "./conversation.ts";
import { EventBuffer } from "./event-buffer.ts";
import { SessionLimits } from "./run-limits.ts";
import { runPorts } from "./run-ports.ts";
import type { ReadOptions } from "./session-options.ts";
import { waitingCalls } from "./waiting-calls.ts";

/** The execution of an open run. `input` is the message it begins with; null where it goes on. */
export class Execution {
  readonly events = new EventBuffer();
  readonly #conversation: Conversation;
  readonly #open: OpenRun;
  readonly #options: ReadOptions;
  readonly #told: AgentEvents;
  readonly #signal: AbortSignal;

  constructor(conversation: Conversation, open: OpenRun, options: ReadOptions) {
    this.#conversation = conversation;
    this.#open = open;
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#told = new AgentEvents({
      sessionId: conversation.id,
      runId: open.run.id,
      providers: new Map([...options.models.values()].map(({ name, provider }) => [name, provider])),
      isRemote: (name) => conversation.isRemote(name),
    });
  }

  /** Contract: never rejects. */
  async run(input: MessageRecord | null): Promise<ExecuteResult> {
    const sink = this.#sink();
    this.#tell(this.#told.begin());
    const { run } = this.#open;
    if (input !== null) for (const draft of wholeMessage(input)) sink.send(sink.number(draft));
    const halt = await this.#halt(sink);
    if (halt.type === "rest") return this.#end(this.#told.rest(waitingCalls(this.#open.journal.messages)));
    const { usage, cost } = run;
    const { status, reason, outcome = null, error = null } = halt.end;
    const ended: EventDraft = {
      type: "run_end",
      run_id: run.id,
      status,
      reason,
      outcome,
      usage,
      cost,
      message_ids: this.#open.journal.messages.map(({ id }) => id),
      error,
    };
    return this.#end(this.#told.take(sink.number(ended)));
  }

  /** A rest that waits for nobody is a pause before the model is asked again: it is sat out. */
  async #halt(sink: EventSink): Promise<Halt> {
    const limits = new SessionLimits(this.#open);
    const signal = AbortSignal.any([this.#signal, limits.signal]);
    try {
      const ports = runPorts(this.#conversation, this.#open, { options: this.#options, sink, limits });
      for (;;) {
        const halt = await loop(ports, signal);
        if (halt.type === "end" || waitingCalls(this.#open.journal.messages).length > 0) return halt;
        const ms = Math.max(0, (halt.until - systemClock.now()) / 1000);
        await systemClock.sleep(ms, signal).catch(() => undefined);
      }
    } catch (thrown) {
      const message = `The execution failed inside the library: ${wordsOf(thrown)}`;
      const end: RunEnd = { status: "error", reason: "internal", error: { code: "internal", message } };
      return { type: "end", end };
    } finally {
      limits.halt();
    }
  }

  /** Whoever is told the end finds the session as it is then. */
  #end(events: AgentEvent[]): ExecuteResult {
    const result = this.#told.result ?? { status: "error" as const, messages: [], cost: 0 };
    this.#conversation.end(result);
    this.events.push(events);
    this.events.close();
    return result;
  }

  #tell(events: AgentEvent[]): void {
    for (const event of events) if (event.type === "message_end") this.#conversation.added(event.message);
    this.events.push(events);
  }

  #sink(): EventSink {
    let last = 0;
    const { id } = this.#conversation;
    return {
      number: (draft) => ({ ...draft, seq: (last += 1), thread_id: id, at: systemClock.now() }) as PlainEvent,
      send: (event) => this.#tell(this.#told.take(event)),
    };
  }
}

function wholeMessage(message: MessageRecord): EventDraft[] {
  const { id, role, position, run_id } = message;
  const of = { message_id: id, depth: 0, ...(run_id === null ? {} : { run_id }) };
  return [
    { type: "message_start", ...of, role, position },
    { type: "message_end", ...of, message: toMessage(message) },
  ];
}
