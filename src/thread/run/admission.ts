// Admits input: a message, or a run without one. Everything is decided and written in one go, after the hooks and before
// the caller is answered, so that two callers at once cannot both begin a run and a repeated key is answered once.

import { refuse } from "#contract/error.ts";
import type { EventOf } from "#contract/event.ts";
import type { Message } from "#contract/message.ts";
import { queueLimit } from "#contract/queue-route.ts";
import type { PostMessage, PostRun } from "#contract/request.ts";
import type { Limits, RunKind } from "#contract/run.ts";
import { excess } from "#core/limits/allowed.ts";
import { totalOf } from "#core/message-counts.ts";
import { messageDraft } from "#core/message-draft.ts";
import type { FileVersion } from "#core/ports/thread-files.ts";
import type { ActiveRun, ExecutedRun, MessageRecord, QueuedRun, RunRecord, StoredPart } from "#core/record.ts";
import type { Admission, Caller, RequestKey } from "#core/thread-rpc.ts";
import { toMessage, toRun } from "#core/view.ts";
import { humanMark } from "#flow/history.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { appendMessages } from "../append-messages.ts";
import { takeMessageFiles } from "../attachments/admit-files.ts";
import { withConfirmedLease } from "../method/confirmed-lease.ts";
import { admitWithSetup, keepOptions } from "../method/input-setup.ts";
import type { MethodGroup } from "../method/method-call.ts";
import type { ObjectContext } from "../object-context.ts";
import { definitionAccess } from "./definition-access.ts";
import type { Driver } from "./driver.ts";
import { kept, repeated } from "./idempotency.ts";
import { checkRoom } from "./message-room.ts";
import { limitedRun, raiseLimit } from "./raise-limit.ts";
import { enqueueRun, newRun } from "./run-start.ts";

/** The methods that admit input. */
export const admissionMethods: MethodGroup<"postMessage" | "postRun"> = {
  postMessage: (call, ...[input, key, setup = {}]) =>
    admitWithSetup(call, setup, ({ context, driver }) => {
      const onAdmission = (): void => keepOptions(context, setup);
      return admitMessage(context, driver, { caller: call.caller, input, key, onAdmission });
    }),
  postRun: (call, input, key) =>
    withConfirmedLease(call, ({ context, driver }) => admitRun(context, driver, { caller: call.caller, input, key })),
};

/** A message to admit. */
export interface MessageAdmission {
  caller: Caller;
  input: PostMessage;
  key: RequestKey | null;
  /** The parent's run that waits for the answer. */
  parentRunId?: string | null;
  /** Changes the thread's row together with what is admitted. */
  onAdmission?: () => void;
}

/** Admits a message. */
export async function admitMessage(
  context: ObjectContext,
  driver: Driver,
  message: MessageAdmission,
): Promise<Admission> {
  const { caller, input, key } = message;
  mayAsk(context, caller, input.limits);
  mustRun(input);
  const first = repeated(context, key);
  if (first !== null) return first;
  rejectWhileActive(context, input.when);
  await context.faults.at("admission.message-agent");
  const agent = await agentOf(context);
  await context.faults.at("admission.files");
  const files = await takeMessageFiles(context, driver, input);
  try {
    await context.faults.at("admission.draft");
    const draft = await draftOf(context, message, { parts: files.parts, agent });
    // Other requests may have been admitted while the hooks ran.
    const meanwhile = repeated(context, key);
    if (meanwhile === null) return admitDraft(context, driver, { ...message, draft, claim: files.claim });
    files.discard();
    return meanwhile;
  } catch (thrown) {
    files.discard();
    throw thrown;
  }
}

/** Writes a message whose files are in the thread and whose hooks have run. */
function admitDraft(
  context: ObjectContext,
  driver: Driver,
  {
    input,
    key,
    parentRunId = null,
    onAdmission,
    draft,
    claim,
  }: MessageAdmission & { draft: MessageRecord; claim: () => FileVersion[] },
): Admission {
  mustBeThere(driver);
  rejectWhileActive(context, input.when);
  const files = claim();
  onAdmission?.();
  const after = context.live.lastSeq;
  if (!input.run) {
    const [stored] = appendMessages(context.live, [draft]);
    afterwards(context, stored ?? draft);
    const answer = { message: toMessage(stored ?? draft), run: null, after, repeated: false };
    return kept(context, key, { answer });
  }
  const limits = input.limits ?? null;
  const { when } = input;
  const joined = when === "steer" ? steerable(driver) : null;
  const waiting = {
    ...(files.length === 0 ? {} : { files }),
    ...(when === "steer" || when === "interrupt" ? { when } : {}),
  };
  const run = newRun(context, { kind: "message", limits, input: draft, waiting, parentRunId });
  const admitted = startRun(context, driver, run);
  const message = { ...draft, run_id: joined?.id ?? run.id };
  afterwards(context, message);
  const from = Math.min(after, restOf(joined));
  const answer = { message: shown(context, message), run: toRun(joined ?? admitted), after: from, repeated: false };
  return kept(context, key, { answer, inputId: run.id });
}

/** Admits a run without a message. */
async function admitRun(
  context: ObjectContext,
  driver: Driver,
  { caller, input, key }: { caller: Caller; input: PostRun; key: RequestKey | null },
): Promise<Admission> {
  mayAsk(context, caller, input.limits);
  const first = repeated(context, key);
  if (first !== null) return first;
  await context.faults.at("admission.run-agent");
  const agent = await agentOf(context);
  // Another caller with the same key may have come meanwhile.
  const meanwhile = repeated(context, key);
  if (meanwhile !== null) return meanwhile;
  mustBeThere(driver);
  const { live } = context;
  const limited = limitedRun(driver);
  if (limited !== null) {
    const after = live.lastSeq;
    raiseLimit(driver, limited, input);
    const run = toRun(live.store.run(limited.run.id) ?? limited.run);
    return kept(context, key, { answer: { message: null, run, after, repeated: false } });
  }
  // Two models need nobody's word to begin with (decision 9).
  if (agent.type !== "dual_ai" && isEmpty(context)) {
    throw refuse("conflict", "There is nothing to continue: the thread has no message yet. Send one.");
  }
  const { active_run_id, queue } = live.record;
  if (active_run_id === null && queue.paused && queue.run_ids.length > 0) {
    // A continue after a stop lets the queue go on; there is nothing else it could mean.
    const after = live.lastSeq;
    live.change({ queue: { ...queue, paused: false } });
    driver.beginNext();
    const run = live.store.run(live.record.active_run_id ?? "");
    const answer = { message: null, run: run === null ? null : toRun(run), after, repeated: false };
    return kept(context, key, { answer });
  }
  const kind: RunKind = "continue";
  const after = live.lastSeq;
  const side = input.side === undefined ? {} : { side: input.side };
  const fresh = newRun(context, { kind, limits: input.limits ?? null, input: null });
  const run = startRun(context, driver, { ...fresh, ...side });
  return kept(context, key, { answer: { message: null, run: toRun(run), after, repeated: false } });
}

async function draftOf(
  context: ObjectContext,
  { caller, input, parentRunId = null }: MessageAdmission,
  { parts, agent }: { parts: StoredPart[]; agent: AnyAgentDefinition },
): Promise<MessageRecord> {
  const { live, clock } = context;
  checkRoom(parts);
  const draft = messageDraft({
    id: live.uuids.next(),
    role: input.role,
    parts,
    branch: live.record.branch,
    at: clock.now(),
    silent: input.silent,
    // A person's message between two models is marked, so that it differs from both models' (decision 9: two models in a thread).
    metadata:
      agent.type === "dual_ai" && input.role === "user" && !isEmpty(context)
        ? { ...input.metadata, ...humanMark }
        : input.metadata,
  });
  // The input of a child thread comes from its parent's call and has no author.
  const isOther = parentRunId === null && caller.user !== live.record.user_id;
  const { hooks } = definitionAccess(context);
  return hooks.beforeCreateMessage(isOther ? { ...draft, author: caller.user } : draft);
}

function isEmpty({ live }: ObjectContext): boolean {
  return totalOf(live.record.counts, { includeSilent: true }) === 0;
}

/** Hooks see a message once it is admitted, and nobody waits for them. */
function afterwards(context: ObjectContext, message: MessageRecord): void {
  const { hooks } = definitionAccess(context);
  context.background(hooks.afterCreateMessage(message));
}

/** The run that a message may still join; null where none is active, and where the one that is has to end. */
function steerable({ activeRun }: Driver): ActiveRun | null {
  return activeRun?.stop === false ? activeRun : null;
}

/**
 * The number before a run was told to wait for its client: whoever follows it from there is told so too, and not left without a
 * last word. Nothing to follow from for any other run.
 */
function restOf(run: RunRecord | null): number {
  if (run?.status !== "awaiting_tool_execution") return Number.POSITIVE_INFINITY;
  // Its last one: a run that waits was told so, whatever came before.
  const rest = run.events.findLast(({ type }) => type === "awaiting_tool_execution");
  return rest === undefined ? Number.POSITIVE_INFINITY : rest.seq - 1;
}

/** Begins the run, or lets it wait: for the one that is active, or for its place in that one. */
export function startRun(context: ObjectContext, driver: Driver, run: QueuedRun): QueuedRun | ExecutedRun {
  mustBeThere(driver);
  const { live } = context;
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
  const { when } = run.queued;
  if (when === "interrupt" && !idle) return driver.interrupt(run);
  const place = when === "interrupt" ? "first" : when === "steer" && steerable(driver) !== null ? "steers" : "last";
  const queued = enqueueRun(context, run, { place });
  // After a stop the queue was held: this input is the one that lets it go on, behind those that waited.
  if (idle) driver.beginNext();
  return queued;
}

function triggerOf({ kind, parent_run_id }: RunRecord): EventOf<"run_start">["trigger"] {
  if (parent_run_id !== null) return "sub_agent";
  return kind === "continue" ? "continuation" : "user";
}

/** The message as it stands: in its place, or still waiting. */
function shown({ live }: ObjectContext, draft: MessageRecord): Message {
  return toMessage(live.store.message(draft.id) ?? draft);
}

/** To join a run, or to end one and be the next, is for messages that are to be answered. */
function mustRun({ when, run }: PostMessage): void {
  if (run || when === "queue" || when === "reject") return;
  throw refuse("invalid_request", `when: "${when}" is for a message that is to be answered: leave out run: false.`, {
    fields: [{ path: "when", message: "needs run: true" }],
  });
}

function rejectWhileActive({ live }: ObjectContext, when: PostMessage["when"]): void {
  const { active_run_id, status, pending = [] } = live.record;
  if (when !== "reject" || active_run_id === null) return;
  const open = pending.map(({ id, kind }) => `"${id}" (${kind})`).join(", ");
  const message =
    status === "awaiting_tool_execution"
      ? `Calls are open: ${open}. Answer them first, or stop the thread.`
      : 'A run is active. Wait for it, stop it, or send with when: "queue".';
  throw refuse("conflict", message, { run_id: active_run_id });
}

/** A user may ask for less than the deployment allows; more is an admin's to give. */
function mayAsk({ settings }: ObjectContext, caller: Caller, limits: Limits | undefined): void {
  const beyond = caller.admin ? null : excess(limits, settings.limits.run);
  if (beyond === null) return;
  const { name, limit } = beyond;
  throw refuse("forbidden", `At most ${limit} ${unitOf[name]} a run are allowed here; more needs an admin's token.`, {
    field: `limits.${name}`,
    limit,
  });
}

const unitOf = { steps: "steps", turns: "turns", tokens: "tokens", duration_ms: "milliseconds", cost: "USD" };

/** The thread may have been deleted while hooks or definitions were waited for. */
function mustBeThere(driver: Driver): void {
  if (driver.gone) throw refuse("thread_not_found", "There is no such thread.");
}

function agentOf({ live, definitions }: ObjectContext): Promise<AnyAgentDefinition> {
  return definitions.agent(live.record.agent_id);
}
