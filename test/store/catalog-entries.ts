// Threads, totals and queries for the catalog's tests: complete, simple, and distinguished by number.

import type { Thread } from "#contract/thread.ts";
import { zeroUsage } from "#contract/usage.ts";
import type { CatalogEntry, ThreadListQuery } from "#store/catalog/catalog.ts";
import type { RunTotal } from "#store/catalog/run-total.ts";

/** A day in microseconds. */
export const day = 24 * 3600 * 1e6;

/** Noon of 2026-08-03. */
export const noon = Date.UTC(2026, 7, 3, 12) * 1000;

/** The n-th thread, active at second n. */
export function threadOf(n: number, changes: Partial<Thread> = {}): Thread {
  return {
    id: `3f0a0000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    agent_id: "support",
    origin_agent_id: "support",
    user_id: "ada",
    title: null,
    tags: [],
    metadata: {},
    status: "idle",
    created_at: noon,
    updated_at: noon + n * 1_000_000,
    message_count: 0,
    usage: zeroUsage,
    cost: 0,
    last_seq: 0,
    active_run_id: null,
    pending_tool_calls: [],
    branch_id: "main",
    parent: null,
    ...changes,
  };
}

/** Fields of a thread that waits for an approval. */
export const waits: Pick<Thread, "status" | "pending_tool_calls"> = {
  status: "awaiting_tool_execution",
  pending_tool_calls: [{ id: "call", name: "pay", kind: "approval", deadline: null }],
};

/** An entry of the n-th thread. */
export function entryOf(n: number, changes: Partial<Thread> = {}, entry: Partial<CatalogEntry> = {}): CatalogEntry {
  return { thread: threadOf(n, changes), lastMessage: null, version: 1, ...entry };
}

/** The field `parent` of a child of the n-th thread. */
export function parentOf(n: number): Thread["parent"] {
  return { thread_id: threadOf(n).id, run_id: "run", tool_call_id: "call" };
}

/** The n-th run's total. */
export function totalOf(n: number, changes: Partial<RunTotal> = {}): RunTotal {
  return {
    run_id: `run-${n}`,
    model: "fast",
    ended_at: noon,
    agent_id: "support",
    user_id: "ada",
    thread_id: threadOf(1).id,
    status: "completed",
    usage: { input: 10, output: 5, cache_read: 2, cache_write: 1, total_tokens: 18 },
    cost: 0.5,
    ...changes,
  };
}

/** The root threads of all users, on one page. */
export const everyone: ThreadListQuery = { userId: null, limit: 200 };
