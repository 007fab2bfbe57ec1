// Admits a message. After the hooks, it decides whether a run starts, is queued, joins the active run
// or interrupts it, and writes the decision without an await in between. So two concurrent callers cannot both start a run, and an
// idempotency key is used only once.

import { refuse } from "#contract/error.ts";
import type { EventOf } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { PostMessage } from "#contract/message-route.ts";
import { queueLimit } from "#contract/queue-route.ts";
import type { Repeat } from "#contract/run-route.ts";
import type { Limits } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
import { excess } from "#core/limits/allowed.ts";
import type { FileVersion } from "#core/ports/thread-file-port.ts";
import { totalOf } from "#core/record/message-counts.ts";
import { checkMessageSize, messageDraft } from "#core/record/message-draft.ts";
import type { MessageRecord, StoredPart } from "#core/record/record.ts";
import type { ActiveRun, ExecutedRun, QueuedRun, RunRecord } from "#core/record/run-record.ts";
import { toMessage, toRun } from "#core/record/view.ts";
import type { Admission, Caller, InputSetup, RequestKey } from "#core/rpc/thread-rpc.ts";
import { humanMark } from "#flow/request/history.ts";
import { withOptions } from "#flow/setup/thread-setup.ts";
import { formOfSchema } from "#flow/strategy/structured-answer.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { takeMessageFiles } from "../attachments/admit-files.ts";
import type { Deployment } from "../deployment.ts";
import { appendMessages } from "../live/append-messages.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import type { RunTraces } from "../trace/run-traces.ts";
import { checkMayBranch } from "./branch-point.ts";
import type { BranchPoint } from "./branch-point.ts";
import { definitionAccess } from "./definition-access.ts";
import type { DefinitionContext } from "./definition-access.ts";
import type { Driver } from "./driver.ts";
import { filteredParts } from "./filter-input.ts";
import { storeUnderKey, repeatedAdmission } from "./idempotency.ts";
import type { SkillContext } from "./thread-tool-sources.ts";
import { enqueueRun, newRun } from "./write-run.ts";
import type { NewRun } from "./write-run.ts";

/** A message to admit. */
export interface MessageAdmission {
  caller: Caller;
  input: PostMessage;
  key: RequestKey | null;
  /** The parent thread's run that waits for the result of this thread. */
  parentRunId?: string | null;
  /** Options that a dialect (an API with another wire format) sends. */
  setup?: InputSetup;
  /** The branch that the message's run makes. */
  branch?: { point: BranchPoint; repeat: Repeat | undefined };
}

/** The parts of a thread that admit an input. */
export interface AdmissionContext extends DefinitionContext {
  driver: Driver;
  traces: RunTraces | null;
  background: (work: Promise<unknown>) => void;
}

/** Admits a message. A repeated request (same key) returns the first admission. */
export async function admitMessage(context: AdmissionContext, message: MessageAdmission): Promise<Admission> {
  const { caller, input, key } = message;
  const { deployment, live } = context;
  const { faults } = deployment;
  checkLimits(deployment, caller, input.limits);
  checkWhen(input);
  const first = repeatedAdmission(live, key);
  if (first !== null) return first;
  checkIdle(live, input.when, message.branch === undefined ? undefined : "interrupt");
  await faults.at("admission.message-agent");
  const agent = await agentOf(context);
  if (input.structure !== undefined) checkStructure(input, input.structure, agent);
  await faults.at("admission.files");
  const files = await takeMessageFiles(context, input);
  try {
    // The input of a child thread comes from another agent, so no filter checks it.
    const isFromAgent = (message.parentRunId ?? null) !== null;
    const { structure } = input;
    const checked = isFromAgent ? files.parts : filteredParts(context, agent, { parts: files.parts, structure, key });
    let { parts } = files;
    if (checked !== parts) {
      await faults.at("admission.filter");
      parts = await checked;
    }
    await faults.at("admission.draft");
    const draft = await draftOf(context, message, { parts, agent });
    // Other requests may have been admitted while the hooks ran.
    const meanwhile = repeatedAdmission(live, key);
    if (meanwhile === null) return admitDraft(context, { ...message, draft, claim: files.claim });
    files.discard();
    return meanwhile;
  } catch (thrown) {
    files.discard();
    throw thrown;
  }
}

/** Admits a message whose files are stored and whose hooks have run. */
function admitDraft(
  context: AdmissionContext,
  {
    caller,
    input,
    key,
    parentRunId = null,
    setup = {},
    branch,
    draft,
    claim,
  }: MessageAdmission & { draft: MessageRecord; claim: () => FileVersion[] },
): Admission {
  const { live, driver, traces } = context;
  assertNotDeleted(driver);
  checkIdle(live, input.when, branch === undefined ? undefined : "interrupt");
  const files = claim();
  keepOptions(live, setup);
  const after = live.lastSeq;
  if (!input.run) {
    const [stored] = appendMessages(live, [draft]);
    runAfterHooks(context, stored ?? draft);
    const answer = { message: toMessage(stored ?? draft), run: null, after, repeated: false };
    return storeUnderKey(context, key, { answer });
  }
  const limits = input.limits ?? null;
  const { when } = input;
  const joined = when === "steer" ? steerable(driver) : null;
  const waiting = {
    ...(files.length === 0 ? {} : { files }),
    ...(when === "steer" || when === "interrupt" ? { when } : {}),
    ...traces?.inputField(caller.trace),
  };
  const { structure } = input;
  const run =
    branch === undefined
      ? newRun(context, { kind: "message", limits, structure, input: draft, waiting, parentRunId })
      : branchRun(context, { kind: "branch", limits, structure, input: draft, waiting }, branch);
  const admitted = startRun(context, run);
  const message = { ...draft, run_id: joined?.id ?? run.id };
  runAfterHooks(context, message);
  const from = Math.min(after, seqBeforeSuspension(joined));
  const answer = {
    message: currentMessage(live, message),
    run: toRun(joined ?? admitted),
    after: from,
    repeated: false,
    ...(branch === undefined ? {} : { files_kept: filesAfter(context, branch.point) }),
  };
  return storeUnderKey(context, key, { answer, inputId: run.id });
}

/** Makes the record of a run that begins on a new branch. Refuses it if the thread cannot have another branch. */
export function branchRun(
  context: DeployedThread,
  run: NewRun,
  { point, repeat }: NonNullable<MessageAdmission["branch"]>,
): QueuedRun {
  checkMayBranch(context.live);
  const made = newRun(context, { ...run, waiting: { ...run.waiting, branch: point } });
  return repeat === undefined ? made : { ...made, repeat };
}

/** The number of files that were written after a point of the conversation. */
export function filesAfter(
  { live: { store }, files }: Pick<AdmissionContext, "live" | "files">,
  { parent, position }: BranchPoint,
): number {
  const query = { branch: parent, order: "desc" as const, limit: 1, includeSilent: true };
  const [last] = position === "" ? [] : store.messages({ ...query, beyond: `${position}~` });
  return files.writtenAfter(last?.created_at ?? 0);
}

/**
 * Changes the options of model requests, which a dialect (an API with another wire format) sends with an input, in the thread's row in
 * memory. The write of the input stores them.
 */
export function keepOptions(live: LiveThread, { options = {} }: InputSetup): void {
  if (Object.keys(options).length === 0) return;
  live.change({ setup: withOptions(live.record.setup, live.record, options) });
}

async function draftOf(
  context: DefinitionContext,
  { caller, input, parentRunId = null }: MessageAdmission,
  { parts, agent }: { parts: StoredPart[]; agent: AnyAgentDefinition },
): Promise<MessageRecord> {
  const { live } = context;
  const { clock } = context.deployment;
  checkMessageSize(parts);
  const draft = messageDraft({
    id: live.uuids.next(),
    role: input.role,
    parts,
    branch: live.record.branch,
    at: clock.now(),
    silent: input.silent,
    // A person's message to two models is marked, so that the models' own messages differ from it (decision 9: two models in a thread).
    metadata:
      agent.type === "dual_ai" && input.role === "user" && !isEmpty(live)
        ? { ...input.metadata, ...humanMark }
        : input.metadata,
  });
  // The input of a child thread comes from its parent's call and has no author.
  const isOther = parentRunId === null && caller.user !== live.record.user_id;
  const { hooks } = definitionAccess(context);
  return hooks.beforeCreateMessage(isOther ? { ...draft, author: caller.user } : draft);
}

export function isEmpty(live: LiveThread): boolean {
  return totalOf(live.record.counts, { includeSilent: true }) === 0;
}

/** Runs the hooks after the creation of a message, in the background. */
function runAfterHooks(context: AdmissionContext, message: MessageRecord): void {
  const { hooks } = definitionAccess(context);
  context.background(hooks.afterCreateMessage(message));
}

/** The active run, if a message can join it; null if the run was asked to stop, or if no run is active. */
function steerable({ activeRun }: Driver): ActiveRun | null {
  return activeRun?.stop === false ? activeRun : null;
}

/**
 * Returns the event number before the run's last `awaiting_tool_execution`, so that a client that subscribes from it still receives that
 * event. Infinity if the run does not wait for a client.
 */
function seqBeforeSuspension(run: RunRecord | null): number {
  if (run?.status !== "awaiting_tool_execution") return Number.POSITIVE_INFINITY;
  const event = run.events.findLast(({ type }) => type === "awaiting_tool_execution");
  return event === undefined ? Number.POSITIVE_INFINITY : event.seq - 1;
}

/** Starts the run if the thread is idle. Otherwise queues it, or lets its message join or interrupt the active run. */
export function startRun(
  { live, driver }: { live: LiveThread; driver: Driver },
  run: QueuedRun,
): QueuedRun | ExecutedRun {
  assertNotDeleted(driver);
  const { active_run_id, queue } = live.record;
  const idle = active_run_id === null;
  if (queue.run_ids.length >= queueLimit) {
    const way = idle ? "Let them begin with POST …/runs" : "Wait for them, or stop the thread";
    throw refuse("conflict", `${queueLimit} inputs wait already. ${way}.`);
  }
  if (queue.paused) live.change({ queue: { ...queue, paused: false } });
  if (idle && queue.run_ids.length === 0) {
    return driver.begin(run, { trigger: triggerOf(run), isNew: true });
  }
  const { when, branch } = run.queued;
  if (when === "interrupt" && !idle) return driver.interrupt(run);
  // Queued inputs join the new branch.
  const position =
    when === "interrupt" || branch !== undefined
      ? "first"
      : when === "steer" && steerable(driver) !== null
        ? "steers"
        : "last";
  const queued = enqueueRun(live, run, { position });
  // If a stop paused the queue, this input resumes it and runs after the inputs that were queued before.
  if (idle) driver.beginNext();
  return queued;
}

function triggerOf({ kind, parent_run_id }: RunRecord): EventOf<"run_start">["trigger"] {
  if (parent_run_id !== null) return "sub_agent";
  if (kind === "branch") return "branch";
  return kind === "continue" || kind === "rerun" ? "continuation" : "user";
}

/** The message as it is stored, or the draft if it is only in the queue. */
function currentMessage(live: LiveThread, draft: MessageRecord): Message {
  return toMessage(live.store.message(draft.id) ?? draft);
}

export function agentOf({ live, definitions }: SkillContext): Promise<AnyAgentDefinition> {
  return definitions.agent(live.record.agent_id);
}

/** Refuses `when: "steer"` and `when: "interrupt"` for a message that starts no run. */
function checkWhen({ when, run }: PostMessage): void {
  if (run || when === "queue" || when === "reject") return;
  throw refuse("invalid_request", `when: "${when}" is for a message that is to be answered: leave out run: false.`, {
    fields: [{ path: "when", message: "needs run: true" }],
  });
}

/** Refuses a structure that cannot be used, or that the message's run would not follow. */
export function checkStructure(
  { when, run }: Pick<PostMessage, "when" | "run">,
  structure: JsonObject,
  { type, name }: AnyAgentDefinition,
): void {
  const wrong = (message: string) => refuse("invalid_request", message, { fields: [{ path: "structure", message }] });
  if (!run) throw wrong("A structure is for a message that is to be answered: leave out run: false.");
  if (when === "steer") throw wrong('A message with when: "steer" joins a run, whose answer keeps its own structure.');
  if (type === "dual_ai") throw wrong(`The agent "${name}" has two sides, whose answers are messages to each other.`);
  const form = formOfSchema(structure);
  if ("problem" in form) throw wrong(`The schema ${form.problem}.`);
}

/** Refuses a message with `when: "reject"` while a run is active. `instead` is the value of `when` with which the input is accepted. */
export function checkIdle(live: LiveThread, when: PostMessage["when"], instead = "queue"): void {
  const { active_run_id, status, pending = [] } = live.record;
  if (when !== "reject" || active_run_id === null) return;
  const open = pending.map(({ id, kind }) => `"${id}" (${kind})`).join(", ");
  const message =
    status === "awaiting_tool_execution"
      ? `Calls are open: ${open}. Answer them first, or stop the thread.`
      : `A run is active. Wait for it, stop it, or send with when: "${instead}".`;
  throw refuse("conflict", message, { run_id: active_run_id });
}

/** Refuses limits above the deployment's, except for an administrator. */
export function checkLimits(
  { settings }: Pick<Deployment, "settings">,
  caller: Caller,
  limits: Limits | undefined,
): void {
  const beyond = caller.admin ? null : excess(limits, settings.limits.run);
  if (beyond === null) return;
  const { name, limit } = beyond;
  throw refuse("forbidden", `At most ${limit} ${unitOf[name]} a run are allowed here; more needs an admin's token.`, {
    field: `limits.${name}`,
    limit,
  });
}

const unitOf = { steps: "steps", turns: "turns", tokens: "tokens", duration_ms: "milliseconds", cost: "USD" };

/** Refuses the request if the thread was deleted during an await. */
export function assertNotDeleted(driver: Driver): void {
  if (driver.gone) throw refuse("thread_not_found", "There is no such thread.");
}
