// The executions of models and agents that the function of a tool runs in its call (`{ in: state }`). Each of their model requests adds its
// usage to the run's and has a log row, like the request of a step. Their ends are in the row of the call.

import type { PlainEvent } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { addCost, addUsage, zeroUsage } from "#contract/usage.ts";
import { anySignal } from "#lib/any-signal.ts";
import { cutText } from "#lib/cut-text.ts";
import { deferred } from "#lib/deferred.ts";
import { waitWithin } from "#lib/time-limit.ts";

import type { CallExecution, ClosableExecutions, ExecutionTotals } from "../ports/tool-host.ts";
import { fitLog } from "../record/fit-log.ts";
import type { LogRecord, MessageRecord } from "../record/record.ts";
import { addModelUsage } from "../record/run-state.ts";
import type { ModelUsage } from "../record/run-state.ts";
import type { CallContext } from "./call-slot.ts";

/** The maximum number of executions of a call whose events are sent and stored. The usage of further executions counts as well. */
const mostShown = 100;

/** The maximum number of bytes of an execution's input and result in the events of the call's row. */
const longestText = 2000;

/** Milliseconds that a call waits for the ends of its executions after they were aborted. */
const endMs = 1000;

/** The fields of a request's log row that the thread's row keeps. */
const keptFields = [
  "side",
  "attempt",
  "model",
  "provider",
  "model_id",
  "stop_reason",
  "stop_detail",
  "error",
  "usage",
  "usage_estimated",
  "continuations",
  "cost",
  "latency_ms",
  "time_to_first_token_ms",
  "raw",
];

/** The executions of one call. */
export class ExecutionsOfCall implements ClosableExecutions {
  readonly #message: MessageRecord;
  readonly #callId: string;
  readonly #context: CallContext;
  readonly #open = new Set<{ end: CallExecution["end"]; ended: Promise<void> }>();
  readonly #totals: ExecutionTotals[] = [];
  #abort: { controller: AbortController; signal: AbortSignal } | null = null;
  #begun = 0;
  #requests = 0;
  #isClosed = false;

  constructor(message: MessageRecord, callId: string, context: CallContext) {
    this.#message = message;
    this.#callId = callId;
    this.#context = context;
  }

  /** The signal is created when it is first read, because most calls run no models. */
  get signal(): AbortSignal {
    if (this.#abort === null) {
      const controller = new AbortController();
      this.#abort = { controller, signal: anySignal([this.#context.signal, controller.signal]) };
      if (this.#isClosed) controller.abort(callIsOver());
    }
    return this.#abort.signal;
  }

  begin({ type, prompt }: { type: string; prompt: string }): CallExecution | null {
    if (this.#isClosed || this.signal.aborted) return null;
    const { ports, events } = this.#context;
    const id = ports.ids.ordered();
    const isShown = (this.#begun += 1) <= mostShown;
    const ids = { message_id: this.#message.id, subagent_id: id, parent_tool_call_id: this.#callId };
    const totals: ExecutionTotals = { id, type, success: false, requests: 0, usage: zeroUsage, cost: 0 };
    let toolCalls = 0;
    let isOpen = true;
    const { promise: ended, resolve } = deferred<void>();
    if (isShown)
      events.emit({ type: "subagent_start", ...ids, subagent_type: type, prompt: cutText(prompt, longestText) });
    const end: CallExecution["end"] = ({ success, result, error }) => {
      if (!isOpen) return;
      isOpen = false;
      this.#open.delete(opened);
      resolve();
      if (!isShown) return;
      totals.success = success;
      this.#totals.push(totals);
      const { usage, cost } = totals;
      events.emit({
        type: "subagent_end",
        ...ids,
        subagent_type: type,
        success,
        usage,
        cost,
        tool_executions: toolCalls,
        ...(result === undefined ? {} : { result: cutText(result, longestText) }),
        ...(error === undefined ? {} : { error: cutText(error, longestText) }),
      });
    };
    const opened = { end, ended };
    this.#open.add(opened);
    const { limits } = ports;
    return {
      ...(limits === undefined
        ? {}
        : { reserve: (request, signal) => limits.reserve(request, signal, { type: "tool" }) }),
      send: (event) => {
        if (event.type === "tool_execution_end") toolCalls += 1;
        if (isOpen && isShown) this.#send(ids, event);
      },
      log: (record) => {
        if (!isOpen) return;
        const { usage, cost } = usageOf(record);
        totals.requests += 1;
        totals.usage = addUsage(totals.usage, usage);
        totals.cost = addCost(totals.cost, cost);
        this.#log(record, id);
      },
      end,
    };
  }

  /** Aborts the executions that the tool did not wait for. Resolves when they have ended, at the latest after `endMs`. */
  close(): Promise<unknown> {
    this.#isClosed = true;
    this.#abort?.controller.abort(callIsOver());
    const open = [...this.#open];
    if (open.length === 0) return Promise.resolve();
    return waitWithin<unknown>(() => Promise.all(open.map(({ ended }) => ended)), {
      timers: this.#context.ports.clock,
      milliseconds: endMs,
      onTimeout: () => undefined,
    });
  }

  /** The totals of the executions, after `close`. Ends those that did not end in time. */
  totals(): readonly ExecutionTotals[] {
    for (const { end } of this.#open) end({ success: false, error: "The execution did not end when it was aborted." });
    return this.#totals;
  }

  #send(ids: { message_id: string; subagent_id: string; parent_tool_call_id: string }, event: PlainEvent): void {
    const { sink, run } = this.#context.ports;
    if (sink.hasReaders !== true || event.type.endsWith("_delta")) return;
    const { step, side, depth } = this.#context.plan;
    const under = { run_id: run.id, step, side, depth };
    sink.send(sink.number({ type: "subagent_event", ...under, ...ids, event: event as unknown as JsonObject }));
  }

  #log(record: LogRecord, id: string): void {
    const { ports } = this.#context;
    const { data } = record;
    addModelUsage(ports.run, usageOf(record));
    this.#requests += 1;
    const kept = keptFields.flatMap((field) => (data[field] === undefined ? [] : [[field, data[field]] as const]));
    ports.journal.log?.(
      fitLog({
        id: ports.ids.ordered(),
        type: "llm_request",
        run_id: ports.run.id,
        parent_id: null,
        depth: this.#message.depth + 1,
        created_at: record.created_at,
        // The requests of a call are numbered together, because the numbers of two executions are not distinct.
        data: { step: this.#requests, under: this.#message.id, execution: id, ...Object.fromEntries(kept) },
        events: [],
      }),
    );
  }
}

/** Creates the executions of a call. */
export function executionsOfCall(...call: ConstructorParameters<typeof ExecutionsOfCall>): ExecutionsOfCall {
  return new ExecutionsOfCall(...call);
}

function callIsOver(): Error {
  return new Error("the call of the tool is over");
}

/** The usage of a model request. `attemptLog` wrote the row. */
function usageOf({ data }: LogRecord): ModelUsage {
  return data as unknown as ModelUsage;
}
