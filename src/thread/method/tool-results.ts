// Takes what a client answers to calls of remote tools. All answers of a request are checked before any is written; each is
// put into the row of its call, once, and the loop takes it from there as it takes a child thread's.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import type { PostedResult, PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";
import { jsonBytes } from "#core/cut-text.ts";
import type { AwaitedClient, MessageRecord } from "#core/record.ts";
import { readAnswer } from "#core/tools/settle.ts";
import { toRun } from "#core/view.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { sha256Hex } from "#lib/sha256.ts";

import type { ObjectContext } from "../object-context.ts";
import type { OpenThread } from "../open-thread.ts";
import { openStepRows } from "../reader/open-calls.ts";
import { pendingCalls } from "../run/run-rest.ts";
import { boundedRows } from "./bounded-page.ts";

/** Bytes of JSON of one answer: its row holds 2 MiB with everything else in it. */
const answerLimit = 1_000_000;

/** Messages that are searched for a call that is not open, newest first, and UTF-16 units of them. */
const searched = { limit: 2000, bytes: 8 * 1024 * 1024 };

interface Posted {
  id: string;
  answer: ToolResult;
  fingerprint: string;
}

type OpenCall = MessageRecord & { awaits: AwaitedClient };

/** Takes them. */
export async function takeToolResults(
  { context, driver }: OpenThread,
  { results }: PostToolResults,
): Promise<ToolResultsTaken> {
  await context.faults.at("results.read");
  const posted = await Promise.all(results.map(read));
  const { live } = context;
  const run = driver.activeRun;
  const open = new Map(openCalls(context).map((row) => [row.tool_call_id, row]));
  const answered = new Map<string, { row: OpenCall; posted: Posted }>();
  const over: MessageRecord[] = [];
  const late: { row: MessageRecord; posted: Posted }[] = [];
  for (const one of posted) {
    const row = open.get(one.id);
    if (row === undefined) {
      const settled = settledCall(context, one);
      over.push(settled);
      if (settled.answered === "") late.push({ row: settled, posted: one });
      continue;
    }
    const known = answered.get(one.id)?.posted.fingerprint ?? row.answered;
    if (known !== undefined && known !== one.fingerprint) throw otherAnswer(one.id);
    if (known === undefined) answered.set(one.id, { row, posted: one });
  }
  const rows = [...answered.values()].map(({ row, posted: { answer, fingerprint } }) => ({
    ...row,
    answered: fingerprint,
    awaits: { ...row.awaits, delivered: { answer } },
  }));
  live.atomically(() => {
    for (const row of rows) live.store.updateMessage(row);
    for (const { row, posted: one } of late) logLate(context, row, one);
    if (rows.length === 0 || live.record.pending === undefined) return;
    live.change({ pending: live.record.pending.filter(({ id }) => !answered.has(id)) });
    live.save();
  });
  for (const row of rows) live.changed(row);
  const missing = pendingCalls(openStepRows(live.store, live.record).reverse());
  if (rows.length > 0 && isLineComplete(rows, openCalls(context))) driver.goOn(rows[0]?.run_id ?? null);
  const asked = run ?? live.store.run(over[0]?.run_id ?? "");
  if (asked === null) throw refuse("conflict", "The run of these calls is gone.");
  return {
    run: toRun(live.store.run(asked.id) ?? asked),
    missing: missing.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    ignored: late.map(({ posted: { id } }) => id),
  };
}

async function read(posted: PostedResult, index: number): Promise<Posted> {
  const { tool_call_id: id, result, content, error, details } = posted;
  const said =
    content === undefined ? result : typeof content === "string" ? content : content.map(({ text }) => text).join("");
  const text = typeof said === "string" ? said : JSON.stringify(said);
  const more = details === undefined ? {} : { details };
  const given =
    error === undefined ? { status: "success", result: text, ...more } : { status: "error", error, ...more };
  const bytes = jsonBytes(given);
  if (bytes > answerLimit) {
    throw refuse(
      "too_large",
      `The answer to "${id}" has ${bytes} bytes; at most ${answerLimit} are taken. Put it into a file of the thread and answer its path.`,
      {
        field: `results.${index}`,
        limit: answerLimit,
      },
    );
  }
  const { attachments: _, stack: __, ...answer } = readAnswer(given);
  return { id, answer, fingerprint: await sha256Hex(canonicalJson(given as JsonObject)) };
}

/** Calls of the active run that a client answers, answered ones that the run has not taken yet included. */
function openCalls({ live }: ObjectContext): OpenCall[] {
  return openStepRows(live.store, live.record)
    .flatMap((row) =>
      row.status === "started" && row.awaits?.kind === "remote" ? [{ ...row, awaits: row.awaits }] : [],
    )
    .reverse();
}

/** A call that is over: it had this answer, or none. Throws for another one. */
function settledCall({ live }: ObjectContext, { id, fingerprint }: Posted): MessageRecord {
  const { rows } = boundedRows(
    (beyond, limit) =>
      live.store.messages({ branch: live.record.branch, order: "desc", includeSilent: true, limit, beyond }),
    (row) => row.position,
    { ...searched, beyond: undefined },
  );
  const row = rows.find(({ role, tool_call_id }) => role === "tool" && tool_call_id === id);
  if (row === undefined) throw refuse("tool_call_not_found", `No call "${id}" waits for a result in this thread.`);
  if (row.answered === undefined) {
    throw refuse(
      "conflict",
      `The call "${id}" is not answered by a client: the tool "${row.name ?? ""}" runs on the server.`,
    );
  }
  if (row.answered !== "" && row.answered !== fingerprint) throw otherAnswer(id);
  return row;
}

function otherAnswer(id: string): ThreadholdError {
  return refuse("conflict", `The call "${id}" was answered already, and with another result.`);
}

function logLate({ live, clock }: ObjectContext, row: MessageRecord, { id, answer }: Posted): void {
  live.store.insertLog({
    id: live.uuids.next(),
    type: "tool_call",
    run_id: row.run_id,
    parent_id: null,
    depth: row.depth,
    created_at: clock.now(),
    data: { what: "late_result", tool_call_id: id, name: row.name, answer: answer as JsonObject },
    events: [],
  });
}

/** Whether some line of calls that was answered has nothing more to wait for. */
function isLineComplete(answered: readonly OpenCall[], open: readonly OpenCall[]): boolean {
  return answered.some(({ parent_id }) =>
    open.every((row) => row.parent_id !== parent_id || row.awaits.delivered !== null),
  );
}
