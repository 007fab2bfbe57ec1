// Answers that are posted to a parent for calls of its children: handed to the thread that made the call, which checks and
// takes them as it takes its own.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { PostedResult, PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";
import type { AwaitedChild } from "#core/awaited.ts";
import type { MessageRecord } from "#core/record.ts";
import type { Answer, Caller } from "#core/thread-rpc.ts";

import { recentCalls } from "../method/recent-calls.ts";
import type { ObjectContext } from "../object-context.ts";
import { openStepRows } from "../reader/open-calls.ts";
import type { Driver } from "../run/driver.ts";

type ChildCall = MessageRecord & { awaits: AwaitedChild };

/** What is left for the thread itself, with the calls that children said were over already. */
export interface HandedOn {
  own: PostedResult[];
  ignored: string[];
  /** The run that a child worked for; null where none took anything. */
  runId: string | null;
}

/** Children that are asked, the newest first, whether a call was theirs. */
const mostAsked = 20;

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
  const parts = new Map<ChildCall, PostedResult[]>();
  const handed: HandedOn = { own: [], ignored: [], runId: null };
  for (const result of results) {
    const id = result.tool_call_id;
    const isOwn = rows.some((row) => row.tool_call_id === id && row.status === "started" && !isOpenChild(row));
    const child = isOwn ? undefined : children.find(({ awaits }) => awaits.calls?.some((call) => call.id === id));
    if (child !== undefined) parts.set(child, [...(parts.get(child) ?? []), result]);
    else if (isOwn) handed.own.push(result);
    else {
      // Answered before, perhaps, and sent again: who made the call knows, and may be over with it.
      await context.faults.at("results.whose");
      await askAround(context, handed, { caller, result });
    }
  }
  for (const [row, posted] of parts) {
    if (run_id !== undefined && row.run_id !== run_id) {
      throw refuse("conflict", `The call "${posted[0]?.tool_call_id}" is none of the run "${run_id}".`);
    }
    await context.faults.at("results.hand-on");
    const answer = await context.threads(row.awaits.thread_id).postToolResults(caller, { results: posted });
    handed.ignored.push(...takenBy(answer).ignored);
    handed.runId = row.run_id;
    forget(context, driver, { row, ids: new Set(posted.map(({ tool_call_id }) => tool_call_id)) });
  }
  return handed;
}

/** Finds whose call it was, this thread's own or that of a child which worked for it; the thread's own to refuse, where nobody's. */
async function askAround(
  { live, threads, faults }: ObjectContext,
  handed: HandedOn,
  { caller, result }: { caller: Caller; result: PostedResult },
): Promise<void> {
  const calls = recentCalls(live);
  const isOwn = calls.some(({ tool_call_id }) => tool_call_id === result.tool_call_id);
  const workers = isOwn ? [] : calls.filter((row) => childOf(row) !== null).slice(0, mostAsked);
  for (const row of workers) {
    await faults.at("results.ask-child");
    const answer = await threads(childOf(row) ?? "").postToolResults(caller, { results: [result] });
    if (answer.ok) {
      handed.ignored.push(...answer.value.ignored);
      handed.runId = row.run_id;
      return;
    }
    if (answer.refusal.code !== "tool_call_not_found" && answer.refusal.code !== "thread_not_found") takenBy(answer);
  }
  handed.own.push(result);
}

/** The thread that worked, or works, on a call. */
function childOf({ child, awaits }: MessageRecord): string | null {
  return child ?? (awaits?.kind === "child" ? awaits.thread_id : null);
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
