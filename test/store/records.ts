// Records for the store's tests: complete, simple, and distinguished by number. Their ids rise with the number, as real ids rise with time.

import { zeroUsage } from "#contract/usage.ts";
import type { KeyRecord, LogRecord, MessageRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";
import type { EndedRun, QueuedRun } from "#core/record/run-record.ts";

/** The n-th id. */
export function idOf(n: number): string {
  return `018f0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

export function threadRecord(changes: Partial<ThreadRecord> = {}): ThreadRecord {
  return {
    id: "3f0a0000-0000-4000-8000-000000000001",
    agent_id: "support",
    origin_agent_id: "support",
    user_id: "ada",
    title: null,
    tags: ["urgent"],
    metadata: { plan: { tier: "pro" } },
    status: "idle",
    created_at: 1_000_000,
    updated_at: 1_000_000,
    counts: { "0": [0, 0] },
    usage: zeroUsage,
    cost: 0,
    active_run_id: null,
    queue: { run_ids: [], steering: 0, paused: false },
    branch: "main",
    last_seq: 0,
    seq_reserved: 0,
    last_position: "",
    last_message: null,
    parent: null,
    background: { catalog: { dirty: false, runs: [] } },
    creation: "f00d",
    ...changes,
  };
}

/** The n-th message, at its own position on `main`. */
export function messageRecord(n: number, changes: Partial<MessageRecord> = {}): MessageRecord {
  const id = idOf(n);
  return {
    id,
    branch: "main",
    position: id,
    role: "user",
    parts: [{ type: "text", text: `message ${n}` }],
    name: null,
    tool_call_id: null,
    parent_id: null,
    depth: 0,
    silent: false,
    metadata: {},
    run_id: null,
    step: null,
    side: null,
    status: "complete",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    created_at: 1_000_000 + n,
    updated_at: 1_000_000 + n,
    events: [{ seq: n + 1, at: 1_000_000 + n, type: "message_end" }],
    ...changes,
  };
}

/** The n-th run, queued. */
export function runRecord(n: number, changes: Partial<QueuedRun> = {}): QueuedRun {
  return {
    id: idOf(n),
    branch: "main",
    status: "queued",
    kind: "message",
    agent_id: "support",
    created_at: 1_000_000 + n,
    started_at: null,
    ended_at: null,
    queued: { message: messageRecord(n) },
    after_position: "",
    counts_before: {},
    steps: 0,
    usage: zeroUsage,
    cost: 0,
    spent: {},
    text: null,
    reason: null,
    outcome: null,
    error: null,
    message_ids: [],
    limits: null,
    parent_run_id: null,
    version: null,
    stop: false,
    progress: null,
    events: [],
    ...changes,
  };
}

/** The n-th run, completed. */
export function endedRun(n: number, changes: Partial<EndedRun> = {}): EndedRun {
  const times = { started_at: 1_000_000 + n, ended_at: 1_000_001 + n };
  return { ...runRecord(n), status: "completed", ...times, queued: null, ...changes };
}

/** The n-th log row. */
export function logRecord(n: number, changes: Partial<LogRecord> = {}): LogRecord {
  return {
    id: idOf(n),
    type: "llm_request",
    run_id: idOf(0),
    parent_id: null,
    depth: 0,
    created_at: 1_000_000 + n,
    data: { model: "m", tools: [{ name: "search" }] },
    events: [],
    ...changes,
  };
}

/** An event that no other row contains. */
export function eventRecord(seq: number): StoredEvent {
  return { seq, at: 1_000_000 + seq, type: "custom", name: "progress", data: { done: seq } };
}

/** The n-th key, with its response. */
export function keyRecord(n: number): KeyRecord {
  return { key: `key-${n}`, fingerprint: `print-${n}`, answer: { message_id: idOf(n) }, created_at: 1_000_000 + n };
}
