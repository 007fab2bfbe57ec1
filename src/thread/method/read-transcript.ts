// Reads a page of a thread's conversation for dialects: its messages in order, each with the error that ended it early; the errors of
// failed runs whose messages have none; and the state of the thread.

import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import type { PendingCall } from "#contract/thread.ts";
import { addCost } from "#contract/usage.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { callsOf } from "#core/record/run-state.ts";
import type { EventSource } from "#core/record/stored-event.ts";
import { toMessage } from "#core/record/view.ts";
import type { TranscriptEntry, TranscriptPage } from "#core/rpc/thread-rpc.ts";

import { boundedRows, pageBytes } from "../bounded-page.ts";
import type { LiveThread } from "../live/live-thread.ts";
import { eventSource } from "../replay/replay.ts";
import type { OpenThread } from "./loaded-thread.ts";
import type { MethodGroup } from "./method-call.ts";
import { view } from "./thread-changes.ts";

/** The maximum number of messages of a page. */
const pageLength = 500;

/** The maximum number of messages that are searched for the model that answered last. */
const searched = 50;

/** The parts of a thread that a transcript is read from. */
type TranscribedThread = Pick<OpenThread, "live" | "definitions">;

/** The method that reads the conversation. */
export const transcriptMethods: MethodGroup<"readTranscript"> = {
  readTranscript: ({ thread }, cursor) => readTranscript(thread(), cursor),
};

async function readTranscript(open: TranscribedThread, cursor: string | null): Promise<TranscriptPage> {
  const { live } = open;
  const { branch } = live.record;
  const model = lastModel(live) ?? (await modelToAsk(open));
  const { rows, more } = boundedRows(
    (from, limit) => live.store.messages({ branch, order: "asc", includeSilent: true, limit, beyond: from }),
    (message) => message.position,
    { limit: pageLength, bytes: pageBytes, beyond: cursor === null ? undefined : decodeCursor(cursor, "transcript") },
  );
  const last = rows.at(-1);
  return {
    thread: view(live),
    name: live.record.setup?.id ?? null,
    model,
    cost: costSoFar(live),
    pending: live.record.status === "awaiting_tool_execution" ? pendingCalls(live) : [],
    entries: entriesOf(live, rows),
    next_cursor: more && last !== undefined ? encodeCursor(last.position, "transcript") : null,
  };
}

/** The cost of the thread, including the active run's, which the thread's row does not contain yet. */
function costSoFar(live: LiveThread): number | null {
  const { active_run_id, cost } = live.record;
  const run = live.runState.run ?? (active_run_id === null ? null : live.store.run(active_run_id));
  return run === null ? cost : addCost(cost, run.cost);
}

function entriesOf(live: LiveThread, rows: readonly MessageRecord[]): TranscriptEntry[] {
  const runs = new Map<string, RunRecord | null>();
  return rows.flatMap((row): TranscriptEntry[] => {
    const entries = row.status === "complete" ? [{ message: toMessage(row), error: row.failure?.message ?? null }] : [];
    if (row.run_id === null) return entries;
    const run = runs.get(row.run_id) ?? live.store.run(row.run_id);
    runs.set(row.run_id, run);
    const isLast = run?.status === "error" && run.message_ids.at(-1) === row.id;
    if (!isLast || row.stop_reason === "error") return entries;
    return [...entries, { message: null, error: run.error?.message ?? run.reason ?? "The run failed." }];
  });
}

function lastModel(live: LiveThread): string | null {
  const { branch } = live.record;
  const rows = live.store.messages({ branch, order: "desc", includeSilent: true, maxDepth: 0, limit: searched });
  return rows.find(({ model }) => model !== null)?.model ?? null;
}

/**
 * The model that the prompt of the agent's first side (its model, or the first of its two) names; null if the project no longer defines the
 * agent or the prompt.
 */
async function modelToAsk({ live, definitions }: TranscribedThread): Promise<string | null> {
  try {
    const { sideA } = await definitions.agent(live.record.agent_id);
    return (await definitions.prompt(sideA.prompt)).model;
  } catch {
    return null;
  }
}

/** The pending calls in order, with their arguments. */
function pendingCalls({ store, record }: LiveThread): PendingCall[] {
  const source = eventSource(store, record, []);
  return (record.pending ?? []).map((call) => withArguments(call, source));
}

/**
 * Adds arguments that were too large for the thread's row. They are read from the message with the call. A child thread's calls are
 * returned without them.
 */
function withArguments(call: PendingCall, source: EventSource): PendingCall {
  const { id, message_id, thread_id } = call;
  if (call.arguments !== undefined || message_id === undefined || thread_id !== undefined) return call;
  const asking = source.callMessage(id, message_id);
  const found = asking === undefined ? undefined : callsOf(asking).find((one) => one.id === id);
  return found === undefined ? call : { ...call, arguments: found.arguments };
}
