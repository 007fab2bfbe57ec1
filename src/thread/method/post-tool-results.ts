// Accepts the results of remote calls and the approvals that clients post. First their size is checked, and each against the schema of its
// tool; then all answers of a request are compared with the rows of their calls. Nothing is stored before, so a client can correct an
// invalid answer and send it again. Each answer is stored once, in the row of its call, and the loop reads it there.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import { bodyBounds } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { PostToolResults, PostedResult, ToolResultsTaken } from "#contract/tool-route.ts";
import type { Approval, AwaitedApproval, AwaitedClientResult, ToolAnswer } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { toRun } from "#core/record/view.ts";
import type { Caller, InputSetup } from "#core/rpc/thread-rpc.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";
import { readToolAnswer } from "#core/tools/read-result.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { jsonBytes } from "#lib/cut-text.ts";
import { causeOf } from "#lib/log-port.ts";
import { sha256Hex } from "#lib/sha256.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";
import { readTool } from "#spec/index.ts";
import type { ToolParts } from "#spec/index.ts";

import { entryOf } from "../background/catalog-task.ts";
import { forwardResults, groupByThread } from "../children/child-results.ts";
import { enqueueCalls } from "../children/outbound-messages.ts";
import { openCallRows, recentCalls } from "../live/call-rows.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import { keepOptions } from "../run/admission.ts";
import type { Driver } from "../run/driver.ts";
import { questionsIn } from "../run/questions.ts";
import { awaitedCalls } from "../run/suspension.ts";
import type { OpenThread } from "./loaded-thread.ts";

type OpenCall = MessageRecord & { awaits: AwaitedClientResult | AwaitedApproval };

/** A request with results, and its caller. */
interface ResultsRequest {
  caller: Caller;
  body: PostToolResults;
  setup: InputSetup;
}

/**
 * Accepts a request. Stores the answers to this thread's calls together, or none if one is refused. Forwards answers to calls of child
 * threads. Resumes the run when all calls of its step have answers.
 */
export async function acceptResults(
  open: OpenThread,
  { caller, body, setup }: ResultsRequest,
): Promise<ToolResultsTaken> {
  const { live, driver } = open;
  const { clock, faults } = open.deployment;
  if (setup.onlyWhileWaiting === true && live.record.status !== "awaiting_tool_execution") {
    throw refuse("conflict", "No call of this thread waits for a result.");
  }
  // Read now, because the run may end while the child threads accept their results.
  const run = driver.activeRun;
  const { questions } = live.runState;
  const answers = questions.read(body.results, body.run_id);
  const results = body.results.filter(({ tool_call_id }) => !questions.knows(tool_call_id));
  await faults.at("results.read");
  const waiting = openCallRows(live);
  const waitsHere = ({ tool_call_id }: PostToolResults["results"][number]) =>
    waiting.some((row) => row.tool_call_id === tool_call_id && row.awaits?.kind !== "child");
  const others = results.filter((result) => !waitsHere(result));
  const grouped =
    others.length === 0
      ? null
      : await groupByThread(open, { caller, results: others, open: waiting, runId: body.run_id });
  const own = [...results.filter(waitsHere), ...(grouped?.own ?? [])];
  await faults.at("results.own");
  const read = await Promise.all(own.map((one) => readPosted(one, body.results.indexOf(one))));
  await faults.at("results.values");
  const posted = await checkedValues(open, read, openCalls(live, driver));
  checked(open, posted, body.run_id);
  await faults.at("results.children");
  const late = grouped === null ? [] : await forwardResults(open, { caller, parts: grouped.parts });
  // There is no await after this line, so a call that is open here is still open when its answer is stored.
  const accepted = checked(open, posted, body.run_id);
  const decided = { by: caller.user, at: clock.now() };
  const answered = [...accepted.answered.values()].map(({ row, posted: one }) => withAnswer(row, one, decided));
  live.transaction(() => {
    for (const row of answered) live.updateMessage(row);
    for (const { row, posted: one } of accepted.late) logLate(open, row, one);
    keepOptions(live, setup);
    if (answered.length === 0 || live.record.pending === undefined) return;
    live.change({ pending: live.record.pending.filter(({ id }) => !accepted.answered.has(id)) });
    enqueueCalls(live);
    live.save();
  });
  open.wakeups.runSoon();
  const ended = questions.answer(answers);
  const { runState, record } = live;
  const missing =
    runState.messages === null ? (record.pending ?? []) : [...awaitedCalls(runState.messages), ...questionsIn(record)];
  if (answered.length > 0 && isStepAnswered(answered, openCalls(live, driver))) {
    driver.resumeNow(answered[0]?.run_id ?? null);
  } else if (answered.length > 0 && live.record.status === "awaiting_tool_execution") relistOpenCalls(open);
  const askedBy = body.results.flatMap(({ tool_call_id }) => questions.runOf(tool_call_id) ?? [])[0];
  const shownRun = run ?? live.store.run(accepted.over[0]?.run_id ?? grouped?.runId ?? askedBy ?? "");
  if (shownRun === null) throw refuse("conflict", "The run of these calls is gone.");
  return {
    run: toRun(live.store.run(shownRun.id) ?? shownRun),
    missing,
    ignored: [...ended, ...(grouped?.ignored ?? []), ...late, ...accepted.late.map(({ posted: { id } }) => id)],
  };
}

/**
 * Sends the thread's entry to the catalog while the run waits for further calls, so that lists do not show the answered ones. Costs no row
 * of the thread and no alarm: after a failure or a crash the catalog is updated when the run resumes.
 */
function relistOpenCalls({
  live,
  deployment: { catalog, log },
  background,
}: Pick<OpenThread, "live" | "deployment" | "background">): void {
  const failed = (cause: unknown) =>
    log("error", "catalog_unreachable", { thread_id: live.record.id, cause: causeOf(cause) });
  background(catalog.put(entryOf(live)).catch(failed));
}

/** The checked answers of a request. */
interface CheckedAnswers {
  /** Answers to open calls, by the call's id. */
  answered: Map<string, { row: OpenCall; posted: PostedAnswer }>;
  /** Calls that had ended before the request. */
  over: MessageRecord[];
  /** Calls that ended without the client's answer, and the answers that arrived too late. */
  late: { row: MessageRecord; posted: PostedAnswer }[];
}

/** Compares the answers with the current rows of their calls. Throws if one is refused. */
function checked(
  { live, driver }: Pick<OpenThread, "live" | "driver">,
  posted: readonly PostedAnswer[],
  runId: string | undefined,
): CheckedAnswers {
  const open = new Map(openCalls(live, driver).map((row) => [row.tool_call_id, row]));
  const { answered, over, late }: CheckedAnswers = { answered: new Map(), over: [], late: [] };
  for (const one of posted) {
    const row = open.get(one.id);
    const call = row ?? settledCall(live, one);
    if (runId !== undefined && call.run_id !== runId) throw otherRun(one.id, runId);
    if (row === undefined) {
      over.push(call);
      if (isUnanswered(call)) late.push({ row: call, posted: one });
      continue;
    }
    checkKind(row, one);
    const known = answered.get(one.id)?.posted.fingerprint ?? row.answered;
    if (known !== undefined && known !== one.fingerprint) throw otherAnswer(one.id);
    if (known === undefined) answered.set(one.id, { row, posted: one });
  }
  return { answered, over, late };
}

/** Whether a call that is not open has ended, or is about to end, without the client's answer. */
function isUnanswered({ answered, awaits }: MessageRecord): boolean {
  return answered === "" || (answered === undefined && awaits !== undefined && awaits.kind !== "child");
}

/** The call's row with its answer. */
function withAnswer(row: OpenCall, { content, fingerprint }: PostedAnswer, decided: { by: string | null; at: number }) {
  const awaits: OpenCall["awaits"] =
    row.awaits.kind === "approval" && content.kind === "approval"
      ? { ...row.awaits, delivered: { ...content.decision, ...decided } }
      : row.awaits.kind === "remote" && content.kind === "remote"
        ? { ...row.awaits, delivered: { answer: content.answer } }
        : row.awaits;
  return { ...row, answered: fingerprint, awaits };
}

/** Refuses a result for a call that waits for an approval, an approval for a remote call, and arguments that may not be changed. */
function checkKind({ awaits, name }: OpenCall, { id, content }: PostedAnswer): void {
  if (awaits.kind !== content.kind) {
    throw refuse(
      "conflict",
      awaits.kind === "approval"
        ? `The call "${id}" of "${name ?? ""}" waits for a decision: send \`approved\`, not a result.`
        : `The call "${id}" of "${name ?? ""}" waits for its result: send \`result\`, not \`approved\`.`,
    );
  }
  if (awaits.kind !== "approval" || content.kind !== "approval") return;
  if (content.decision.args !== undefined && !awaits.editable) {
    throw refuse("conflict", `The arguments of "${id}" may not be changed: its tool lacks \`editableArguments\`.`);
  }
}

/** The active run's calls that wait for clients and people, including answered ones that the loop has not read yet. None after a stop. */
function openCalls(live: LiveThread, { activeRun }: Driver): OpenCall[] {
  if (activeRun?.stop === true) return [];
  return openCallRows(live).flatMap((row) =>
    row.awaits === undefined || row.awaits.kind === "child" || live.runState.closing.has(row.id)
      ? []
      : [{ ...row, awaits: row.awaits }],
  );
}

/** The row of a call that has ended, with this answer or without one. Throws if there is no such call, or if it has another answer. */
function settledCall(live: LiveThread, { id, fingerprint }: PostedAnswer): MessageRecord {
  const row = recentCalls(live).find(({ tool_call_id }) => tool_call_id === id);
  if (live.record.pending?.some((call) => call.id === id && call.kind === "limit")) {
    const way = 'Raise it with POST …/runs {"kind":"continue","limits":{…}}';
    throw refuse(
      "conflict",
      `The call "${id}" is a limit at which the run is suspended; no result answers it. ${way}.`,
    );
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

/** Logs an answer that arrived after its call had ended. */
function logLate(
  { live, deployment: { clock } }: DeployedThread,
  row: MessageRecord,
  { id, content }: PostedAnswer,
): void {
  const answer = content.kind === "remote" ? content.answer : content.decision;
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

/** Whether the answers of this request complete a step: the loop of one of the answered calls has no other waiting calls. */
function isStepAnswered(answered: readonly OpenCall[], open: readonly OpenCall[]): boolean {
  return answered.some(({ parent_id }) =>
    open.every((row) => row.parent_id !== parent_id || row.awaits.delivered !== null),
  );
}

/** The maximum number of bytes of JSON of one result. The call's row has at most 2 MiB and contains other data too. */
const resultLimit = 1_000_000;

/**
 * The maximum number of bytes of JSON of changed arguments, and of the reason of a declined call. The row stores both in addition to the
 * tool's result, and the reason up to three times.
 */
const approvalLimits = { args: 400_000, error: 64_000 };

/** The result of a remote call, or the decision about a call that needs an approval. */
interface PostedAnswer {
  /** The id of the call. */
  id: string;
  /** The index of the answer in the request. */
  at: number;
  /** `given` is a successful result before its conversion to text, with the name of the field that contained it. */
  content:
    | { kind: "remote"; answer: ToolAnswer; given?: { value: Json; field: "result" | "content" } }
    | { kind: "approval"; decision: Omit<Approval, "by" | "at"> };
  /** A hash that is equal for equal answers. It identifies a repeated request. */
  fingerprint: string;
}

/** Reads the answer at `index` of its request. Rejects if it is too large. */
async function readPosted(posted: PostedResult, index: number): Promise<PostedAnswer> {
  const { tool_call_id: id, approved } = posted;
  const given = approved === undefined ? resultIn(posted) : decisionIn(approved, posted);
  const bytes = jsonBytes(given);
  if (bytes > resultLimit) {
    const message =
      `The answer to "${id}" has ${bytes} bytes; at most ${resultLimit} are taken. ` +
      "Put it into a file of the thread and answer its path.";
    throw refuse("too_large", message, { field: `results.${index}`, tool_call_id: id, limit: resultLimit });
  }
  for (const [field, limit] of Object.entries(approvalLimits) as ["args" | "error", number][]) {
    if (approved === undefined || jsonBytes(posted[field] ?? null) <= limit) continue;
    const message = `\`${field}\` of the decision about "${id}" takes more than ${limit} bytes.`;
    throw refuse("too_large", message, { field: `results.${index}.${field}`, tool_call_id: id, limit });
  }
  const fingerprint = await sha256Hex(canonicalJson(given as JsonObject));
  if ("approved" in given) return { id, at: index, content: { kind: "approval", decision: given }, fingerprint };
  const { stack: _, ...answer } = readToolAnswer(given);
  const value = posted.error === undefined ? valueOf(posted) : undefined;
  const field = posted.content === undefined ? "result" : "content";
  const content = {
    kind: "remote" as const,
    answer,
    ...(value === undefined ? {} : { given: { value, field } as const }),
  };
  return { id, at: index, content, fingerprint };
}

function resultIn(posted: PostedResult): ToolAnswer {
  const { error, details } = posted;
  const more = details === undefined ? {} : { details };
  if (error !== undefined) return { status: "error", error, ...more };
  const value = valueOf(posted);
  const attachments = attachmentsIn(posted);
  return {
    status: "success",
    result: typeof value === "string" ? value : JSON.stringify(value),
    ...more,
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** The images and files of a result, in the form of a tool's attachments. */
function attachmentsIn({ content }: PostedResult): JsonObject[] {
  if (content === undefined || typeof content === "string") return [];
  return content.flatMap((part): JsonObject[] => {
    if (part.type === "text") return [];
    const { name = "", mime_type: mimeType, data, path } = part;
    if (path !== undefined) return [{ path }];
    return data === undefined ? [] : [{ name, mimeType, data }];
  });
}

/** A result before it is converted to text. */
function valueOf({ result, content }: PostedResult): Json | undefined {
  if (content === undefined) return result;
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function decisionIn(approved: boolean, { args, error }: PostedResult): Omit<Approval, "by" | "at"> {
  return {
    approved,
    ...(args === undefined ? {} : { args }),
    ...(error === undefined ? {} : { reason: error.toWellFormed() }),
  };
}

/** The parts of a thread that answers are checked with. */
type CheckingThread = Pick<OpenThread, "definitions" | "deployment" | "live">;

/**
 * Checks the answers to open calls: changed arguments against the tool's schema, results against its result schema, if it has one. Returns
 * results as the schema parsed them. Refuses invalid ones. Answers to other calls are not checked, only compared with the stored ones.
 */
async function checkedValues(
  context: CheckingThread,
  posted: readonly PostedAnswer[],
  open: readonly MessageRecord[],
): Promise<PostedAnswer[]> {
  const checked: PostedAnswer[] = [];
  for (const one of posted) {
    const row = open.find(({ tool_call_id }) => tool_call_id === one.id);
    checked.push(row?.answered === undefined ? await checkedValue(context, one, row?.name ?? null) : one);
  }
  return checked;
}

async function checkedValue(
  { definitions, deployment: { faults }, live }: CheckingThread,
  one: PostedAnswer,
  name: string | null,
): Promise<PostedAnswer> {
  const { content } = one;
  const given = content.kind === "approval" ? content.decision.args : content.given;
  if (given === undefined || name === null || !definitions.has("tools", name)) return one;
  await faults.at("results.check-values");
  const { schema, options } = readTool(await definitions.tool(name));
  if (content.kind === "approval") {
    parse(one, { name, schema, value: content.decision.args ?? null, field: "args" });
    return one;
  }
  // A tool of the thread's client may have the name of a tool of the project, whose schema is not the client's.
  const isClients = live.record.setup?.tools.some((tool) => tool.name === name) === true;
  if (options.resultSchema === undefined || content.given === undefined || isClients) return one;
  const { value, field } = content.given;
  const parsed = parse(one, { name, schema: options.resultSchema, value: jsonIn(value, one, field), field });
  return {
    ...one,
    content: { ...content, answer: { ...content.answer, result: JSON.stringify(parsed).toWellFormed() } },
  };
}

interface CheckedField {
  name: string;
  schema: ToolParts["schema"];
  value: Json;
  field: string;
}

function parse({ id, at }: PostedAnswer, { name, schema, value, field }: CheckedField): Json {
  const checked = checkArguments(schema, value);
  if (checked.ok) return checked.args;
  const what = field === "args" ? "arguments of" : "result of";
  const does = field === "args" ? "do" : "does";
  throw refuse("invalid_request", `The ${what} the call "${id}" ${does} not fit "${name}". ${checked.problem}`, {
    field: `results.${at}.${field}`,
    tool_call_id: id,
  });
}

/** The JSON in a text, because some clients can only send text. Other text is returned as it is. */
function jsonIn(value: Json, { id, at }: PostedAnswer, name: string): Json {
  if (typeof value !== "string") return value;
  try {
    return parseBoundedJson(value, bodyBounds) as Json;
  } catch (thrown) {
    if (!(thrown instanceof JsonBoundError)) return value;
    const { bound, limit, message } = thrown;
    const details = { field: `results.${at}.${name}`, tool_call_id: id, bound, limit };
    throw refuse(
      bound === "values" ? "too_large" : "invalid_request",
      `The result of the call "${id}" ${message}.`,
      details,
    );
  }
}
