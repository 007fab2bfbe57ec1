// Answers that are posted to a parent for calls of its children: handed to the thread that made the call, which checks and
// takes them as it takes its own.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { PostedResult, PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";
import type { AwaitedChild, MessageRecord } from "#core/record.ts";
import type { Answer, Caller } from "#core/thread-rpc.ts";

import { findCall } from "../method/find-call.ts";
import type { ObjectContext } from "../object-context.ts";
import { openStepRows } from "../reader/open-calls.ts";
import type { Driver } from "../run/driver.ts";

type ChildCall = MessageRecord & { awaits: AwaitedChild };

/** What is left for the thread itself, with the calls that children said were over already. */
export interface HandedOn {
  own: PostedResult[];
  ignored: string[];
}

/**
 * Hands on what is for children. Each thread takes its part whole or not at all; a refusal of one is the whole request's, which
 * may then be sent again, since what another took before it is taken once.
 */
export async function handToChildren(
  context: ObjectContext,
  driver: Driver,
  { caller, body: { results, run_id } }: { caller: Caller; body: PostToolResults },
): Promise<HandedOn> {
  const { live } = context;
  const rows = openStepRows(live.store, live.record);
  const children = rows.flatMap((row) => (isOpenChild(row) ? [row] : []));
  if (children.length === 0) return { own: results, ignored: [] };
  const parts = new Map<ChildCall, PostedResult[]>();
  const own: PostedResult[] = [];
  for (const result of results) {
    const id = result.tool_call_id;
    const isOwn = rows.some((row) => row.tool_call_id === id && row.status === "started" && !isOpenChild(row));
    const child = isOwn ? undefined : children.find(({ awaits }) => awaits.calls?.some((call) => call.id === id));
    if (child !== undefined) parts.set(child, [...(parts.get(child) ?? []), result]);
    else if (isOwn || findCall(live, id) !== undefined) own.push(result);
    else {
      // Answered before, perhaps, and sent again: the child that made the call knows.
      await context.faults.at("results.whose");
      const knows = await childThatKnows(context, children, { caller, result });
      if (knows === null) own.push(result);
    }
  }
  const ignored: string[] = [];
  for (const [row, posted] of parts) {
    if (run_id !== undefined && row.run_id !== run_id) {
      throw refuse("conflict", `The call "${posted[0]?.tool_call_id}" is none of the run "${run_id}".`);
    }
    await context.faults.at("results.hand-on");
    const answer = await context.threads(row.awaits.thread_id).postToolResults(caller, { results: posted });
    ignored.push(...takenBy(answer).ignored);
    forget(context, driver, { row, ids: new Set(posted.map(({ tool_call_id }) => tool_call_id)) });
  }
  return { own, ignored };
}

/** The child that took an answer as its own, said again; null where none knows the call. */
async function childThatKnows(
  { threads, faults }: ObjectContext,
  children: readonly ChildCall[],
  { caller, result }: { caller: Caller; result: PostedResult },
): Promise<ChildCall | null> {
  for (const row of children) {
    await faults.at("results.ask-child");
    const answer = await threads(row.awaits.thread_id).postToolResults(caller, { results: [result] });
    if (answer.ok) return row;
    if (answer.refusal.code !== "tool_call_not_found" && answer.refusal.code !== "thread_not_found") takenBy(answer);
  }
  return null;
}

function takenBy(answer: Answer<ToolResultsTaken>): ToolResultsTaken {
  if (answer.ok) return answer.value;
  throw new ThreadholdError(answer.refusal);
}

/** The child tells what it still waits for as well; whoever asks before that shall not be shown what was answered. */
function forget({ live }: ObjectContext, driver: Driver, { row, ids }: { row: ChildCall; ids: Set<string> }): void {
  const now = live.store.message(row.id);
  if (now === null || !isOpenChild(now)) return;
  const calls = (now.awaits.calls ?? []).filter(({ id }) => !ids.has(id));
  if (calls.length === now.awaits.calls?.length) return;
  const next = { ...now, awaits: { ...now.awaits, calls } };
  live.store.updateMessage(next);
  live.changed(next);
  driver.showAwaited(now.run_id);
}

function isOpenChild(row: MessageRecord): row is ChildCall {
  return row.status === "started" && row.awaits?.kind === "child" && row.awaits.delivered === null;
}
