// Events, log rows and a run as the server sends them, at times of a test's choosing: milliseconds since the run began.

import type { Log, Run, ThreadEvent } from "#client/index.ts";
import type { EventDraft } from "#contract/event.ts";

import { runRecord } from "../../support/records.ts";

const begin = 1_790_000_000_000_000;

/** Microseconds. */
export function at(ms: number): number {
  return begin + ms * 1000;
}

/** Numbers events, all of one run. */
export function numberedEvents(): (ms: number, draft: EventDraft) => ThreadEvent {
  let seq = 0;
  return (ms, draft) =>
    ({ run_id: "run", ...draft, seq: (seq += 1), thread_id: "thread", at: at(ms) }) as unknown as ThreadEvent;
}

/** The run, which took a second. */
export function runOf(more: Partial<Run> = {}): Run {
  const times = { created_at: at(0), started_at: at(0), ended_at: at(1000) };
  return runRecord({ id: "run", status: "completed", first_seq: 1, steps: 1, ...times, ...more });
}

/** The row of an attempt. */
export function attemptRow(ms: number, latency: number, data: Log["data"] = {}): Log {
  return {
    id: `row ${ms}`,
    type: "llm_request",
    run_id: "run",
    parent_id: null,
    created_at: at(ms),
    data: {
      step: 1,
      attempt: 1,
      model: "fast",
      provider: "test",
      latency_ms: latency,
      time_to_first_token_ms: 10,
      usage: { input: 10, output: 5, cache_read: 30, cache_write: 0, total_tokens: 45 },
      cost: 0.001,
      error: null,
      tools: [],
      ...data,
    },
  };
}

/** The entry of a call under a row. */
export function callRow(ms: number, took: number, data: Log["data"] = {}): Log {
  return {
    id: `row 0.${ms}`,
    type: "tool_call",
    run_id: "run",
    parent_id: "row 0",
    created_at: at(ms),
    data: { id: "call", name: "find", message_id: "tool", is_error: false, duration_ms: took, at: at(ms), ...data },
  };
}
