// A page of a session: the thread's messages in order, each with why it broke off, and behind a run that failed without a
// word the error it failed with.

import { decodeCursor, encodeCursor } from "#contract/cursor.ts";
import { addCost } from "#contract/usage.ts";
import type { MessageRecord, RunRecord } from "#core/record.ts";
import type { SessionEntry, SessionPage } from "#core/session-rpc.ts";
import { toMessage } from "#core/view.ts";

import { boundedRows, pageBytes } from "../method/bounded-page.ts";
import { view } from "../method/thread-changes.ts";
import type { ObjectContext } from "../object-context.ts";
import { pendingSessionCalls } from "./pending-calls.ts";

/** Messages of a page. */
const pageLength = 500;

/** Messages that are searched for the model that answered last. */
const searched = 50;

/** The page behind the cursor. */
export async function readSession(context: ObjectContext, cursor: string | null): Promise<SessionPage> {
  const { live } = context;
  const { branch } = live.record;
  const model = lastModel(context) ?? (await modelToAsk(context));
  const { rows, more } = boundedRows(
    (from, limit) => live.store.messages({ branch, order: "asc", includeSilent: true, limit, beyond: from }),
    (message) => message.position,
    { limit: pageLength, bytes: pageBytes, beyond: cursor === null ? undefined : decodeCursor(cursor, "session") },
  );
  const last = rows.at(-1);
  return {
    thread: view(context),
    model,
    cost: costSoFar(context),
    pending: live.record.status === "awaiting_tool_execution" ? pendingSessionCalls(live) : [],
    entries: entriesOf(context, rows),
    next_cursor: more && last !== undefined ? encodeCursor(last.position, "session") : null,
  };
}

/** A run at work or at rest has not been counted to its thread yet. */
function costSoFar({ live }: ObjectContext): number | null {
  const { active_run_id, cost } = live.record;
  const run = live.driven ?? (active_run_id === null ? null : live.store.run(active_run_id));
  return run === null ? cost : addCost(cost, run.cost);
}

function entriesOf({ live }: ObjectContext, rows: readonly MessageRecord[]): SessionEntry[] {
  const runs = new Map<string, RunRecord | null>();
  return rows.flatMap((row): SessionEntry[] => {
    const entries = row.status === "complete" ? [{ message: toMessage(row), error: row.failure?.message ?? null }] : [];
    if (row.run_id === null) return entries;
    const run = runs.get(row.run_id) ?? live.store.run(row.run_id);
    runs.set(row.run_id, run);
    const isLast = run?.status === "error" && run.message_ids.at(-1) === row.id;
    if (!isLast || row.stop_reason === "error") return entries;
    return [...entries, { message: null, error: run.error?.message ?? run.reason ?? "The run failed." }];
  });
}

function lastModel({ live }: ObjectContext): string | null {
  const { branch } = live.record;
  const rows = live.store.messages({ branch, order: "desc", includeSilent: true, maxDepth: 0, limit: searched });
  return rows.find(({ model }) => model !== null)?.model ?? null;
}

/** The model of the agent's first side; null where the project has lost one of them. */
async function modelToAsk({ live, definitions }: ObjectContext): Promise<string | null> {
  try {
    const { sideA } = await definitions.agent(live.record.agent_id);
    return (await definitions.prompt(sideA.prompt)).model;
  } catch {
    return null;
  }
}
