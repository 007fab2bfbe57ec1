// Takes what people and clients answer: results of remote calls, decisions about calls that need consent. All answers of a
// request are checked before any is written; each is put into the row of its call, once, and the loop takes it from there as
// it takes a child thread's.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";
import type { AwaitedApproval, AwaitedClient } from "#core/awaited.ts";
import type { MessageRecord } from "#core/record.ts";
import type { Caller, InputSetup } from "#core/thread-rpc.ts";
import { toRun } from "#core/view.ts";

import { handOn, sortAnswers } from "../children/child-answers.ts";
import { enqueueCalls } from "../children/outbound-messages.ts";
import type { ObjectContext } from "../object-context.ts";
import type { OpenThread } from "../open-thread.ts";
import type { Driver } from "../run/driver.ts";
import { awaitedCalls } from "../run/run-rest.ts";
import { admitWithSetup, keepOptions } from "./input-setup.ts";
import type { MethodGroup } from "./method-call.ts";
import { openCallRows } from "./open-call-rows.ts";
import { readPosted } from "./posted-answer.ts";
import type { PostedAnswer } from "./posted-answer.ts";
import { checkedValues } from "./posted-values.ts";
import { recentCalls } from "./recent-calls.ts";

/** The method that takes results and approvals. */
export const resultMethods: MethodGroup<"postToolResults"> = {
  postToolResults: (call, body, setup = {}) =>
    admitWithSetup(call, setup, async (open) => {
      const after = open.context.live.lastSeq;
      return { ...(await takeToolResults(open, { caller: call.caller, body, setup })), after };
    }),
};

type OpenCall = MessageRecord & { awaits: AwaitedClient | AwaitedApproval };

/** Who answers what. */
interface ResultsToTake {
  caller: Caller;
  body: PostToolResults;
  setup: InputSetup;
}

/** Takes them: this thread's own together, or nothing, once it is known that nothing of them is refused. */
async function takeToolResults(
  { context, driver }: OpenThread,
  { caller, body, setup }: ResultsToTake,
): Promise<ToolResultsTaken> {
  const { live } = context;
  if (setup.onlyWhileWaiting === true && live.record.status !== "awaiting_tool_execution") {
    throw refuse("conflict", "No call of this thread waits for a result.");
  }
  // Of now: it may be over when children have taken what is theirs.
  const run = driver.activeRun;
  await context.faults.at("results.read");
  const { own, parts, ignored, runId } = await sortAnswers(context, { caller, body });
  await context.faults.at("results.own");
  const read = await Promise.all(own.map((one) => readPosted(one, body.results.indexOf(one))));
  await context.faults.at("results.values");
  const posted = await checkedValues(context, read, openCalls(context, driver));
  checked({ context, driver }, posted, body.run_id);
  await context.faults.at("results.children");
  const late = await handOn(context, driver, { caller, parts });
  // Nothing is awaited from here on: what is open now is open when it is written.
  const taken = checked({ context, driver }, posted, body.run_id);
  const decided = { by: caller.user, at: context.clock.now() };
  const rows = [...taken.answered.values()].map(({ row, posted: one }) => withAnswer(row, one, decided));
  live.transaction(() => {
    for (const row of rows) live.updateMessage(row);
    for (const { row, posted: one } of taken.late) logLate(context, row, one);
    keepOptions(context, setup);
    if (rows.length === 0 || live.record.pending === undefined) return;
    live.change({ pending: live.record.pending.filter(({ id }) => !taken.answered.has(id)) });
    enqueueCalls(live);
    live.save();
  });
  context.wakeups.runSoon();
  const { runState, record } = live;
  const missing = runState.messages === null ? (record.pending ?? []) : awaitedCalls(runState.messages);
  if (rows.length > 0 && isLineComplete(rows, openCalls(context, driver))) driver.resumeNow(rows[0]?.run_id ?? null);
  const asked = run ?? live.store.run(taken.over[0]?.run_id ?? runId ?? "");
  if (asked === null) throw refuse("conflict", "The run of these calls is gone.");
  return {
    run: toRun(live.store.run(asked.id) ?? asked),
    missing,
    ignored: [...ignored, ...late, ...taken.late.map(({ posted: { id } }) => id)],
  };
}

/** What a request comes to as the calls stand now. */
interface Checked {
  answered: Map<string, { row: OpenCall; posted: PostedAnswer }>;
  /** Calls that were over before. */
  over: MessageRecord[];
  /** Those of them that had no answer. */
  late: { row: MessageRecord; posted: PostedAnswer }[];
}

/** Throws for anything in it that has to be refused. */
function checked(
  { context, driver }: Pick<OpenThread, "context" | "driver">,
  posted: readonly PostedAnswer[],
  runId: string | undefined,
): Checked {
  const open = new Map(openCalls(context, driver).map((row) => [row.tool_call_id, row]));
  const { answered, over, late }: Checked = { answered: new Map(), over: [], late: [] };
  for (const one of posted) {
    const row = open.get(one.id);
    const of = row ?? settledCall(context, one);
    if (runId !== undefined && of.run_id !== runId) throw otherRun(one.id, runId);
    if (row === undefined) {
      over.push(of);
      if (isUnanswered(of)) late.push({ row: of, posted: one });
      continue;
    }
    checkKind(row, one);
    const known = answered.get(one.id)?.posted.fingerprint ?? row.answered;
    if (known !== undefined && known !== one.fingerprint) throw otherAnswer(one.id);
    if (known === undefined) answered.set(one.id, { row, posted: one });
  }
  return { answered, over, late };
}

/** It is over, or is about to be, without what a client said. */
function isUnanswered({ answered, awaits }: MessageRecord): boolean {
  return answered === "" || (answered === undefined && awaits !== undefined && awaits.kind !== "child");
}

/** The call's row with what was said of it. */
function withAnswer(row: OpenCall, { said, fingerprint }: PostedAnswer, decided: { by: string | null; at: number }) {
  const awaits: OpenCall["awaits"] =
    row.awaits.kind === "approval" && said.kind === "approval"
      ? { ...row.awaits, delivered: { ...said.decision, ...decided } }
      : row.awaits.kind === "remote" && said.kind === "remote"
        ? { ...row.awaits, delivered: { answer: said.answer } }
        : row.awaits;
  return { ...row, answered: fingerprint, awaits };
}

/** A result is no consent, and a consent no result. */
function checkKind({ awaits, name }: OpenCall, { id, said }: PostedAnswer): void {
  if (awaits.kind !== said.kind) {
    throw refuse(
      "conflict",
      awaits.kind === "approval"
        ? `The call "${id}" of "${name ?? ""}" waits for a decision: send \`approved\`, not a result.`
        : `The call "${id}" of "${name ?? ""}" waits for its result: send \`result\`, not \`approved\`.`,
    );
  }
  if (awaits.kind !== "approval" || said.kind !== "approval") return;
  if (said.decision.args !== undefined && !awaits.editable) {
    throw refuse("conflict", `The arguments of "${id}" may not be changed: its tool lacks \`editableArguments\`.`);
  }
}

/** Calls of the active run that a client answers, answered ones that the run has not taken yet included; none behind a stop. */
function openCalls({ live }: ObjectContext, { activeRun }: Driver): OpenCall[] {
  if (activeRun?.stop === true) return [];
  return openCallRows(live).flatMap((row) =>
    row.awaits === undefined || row.awaits.kind === "child" || live.runState.closing.has(row.id)
      ? []
      : [{ ...row, awaits: row.awaits }],
  );
}

/** A call that is over: it had this answer, or none. Throws for another one. */
function settledCall({ live }: ObjectContext, { id, fingerprint }: PostedAnswer): MessageRecord {
  const row = recentCalls(live).find(({ tool_call_id }) => tool_call_id === id);
  if (live.record.pending?.some((call) => call.id === id && call.kind === "limit")) {
    const way = 'Raise it with POST …/runs {"kind":"continue","limits":{…}}';
    throw refuse("conflict", `The call "${id}" is a limit that the run rests at, which no result answers. ${way}.`);
  }
  if (row === undefined) throw refuse("tool_call_not_found", `No call "${id}" waits for a result in this thread.`);
  if (row.answered === undefined && !isUnanswered(row)) {
    throw refuse(
      "conflict",
      `The call "${id}" is not answered by a client: the tool "${row.name ?? ""}" runs on the server without approval.`,
    );
  }
  if (!isUnanswered(row) && row.answered !== fingerprint) throw otherAnswer(id);
  return row;
}

function otherRun(id: string, run: string): ThreadholdError {
  return refuse("conflict", `The call "${id}" is none of the run "${run}".`);
}

function otherAnswer(id: string): ThreadholdError {
  return refuse("conflict", `The call "${id}" was answered already, and with another result.`);
}

function logLate({ live, clock }: ObjectContext, row: MessageRecord, { id, said }: PostedAnswer): void {
  const answer = said.kind === "remote" ? said.answer : said.decision;
  live.store.insertLog({
    id: live.uuids.next(),
    type: "tool_call",
    run_id: row.run_id,
    parent_id: null,
    depth: row.depth,
    created_at: clock.now(),
    data: { what: "late_result", tool_call_id: id, name: row.name, answer: { ...answer } as JsonObject },
    events: [],
  });
}

/** Whether some line of calls that was answered has nothing more to wait for. */
function isLineComplete(answered: readonly OpenCall[], open: readonly OpenCall[]): boolean {
  return answered.some(({ parent_id }) =>
    open.every((row) => row.parent_id !== parent_id || row.awaits.delivered !== null),
  );
}
