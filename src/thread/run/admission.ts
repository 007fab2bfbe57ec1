// Admits input: a message, or a run without one. Everything is decided and written in one go, after the hooks and before
// the caller is answered, so that two callers at once cannot both begin a run and a repeated key is answered once.

import { refuse } from "#contract/error.ts";
import type { EventOf } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Message } from "#contract/message.ts";
import type { PostMessage, PostRun } from "#contract/request.ts";
import type { Limits, Run, RunKind } from "#contract/run.ts";
import { totalOf } from "#core/message-counts.ts";
import type { MessageRecord, RunRecord, StoredPart } from "#core/record.ts";
import type { Admission, Caller, RequestKey } from "#core/thread-rpc.ts";
import { toMessage, toRun } from "#core/view.ts";
import { humanMark } from "#flow/history-sides.ts";
import { messageDraft } from "#flow/message-draft.ts";
import type { AnyAgentDefinition } from "#spec/index.ts";

import { withTakenFiles } from "../attachments/admit-files.ts";
import type { ObjectContext } from "../object-context.ts";
import { definitionAccess } from "./definition-access.ts";
import type { Driver } from "./driver.ts";
import { enqueueRun, newRun } from "./run-start.ts";

/** Most UTF-8 bytes of a message (architecture §6). */
const messageLimit = 1024 * 1024;

/** Most runs that may wait. */
const queueLimit = 100;

/** A message to admit. */
export interface MessageAdmission {
  caller: Caller;
  input: PostMessage;
  key: RequestKey | null;
  /** The parent's run that waits for the answer. */
  parentRunId?: string | null;
}

/** Admits a message. */
export async function admitMessage(
  context: ObjectContext,
  driver: Driver,
  message: MessageAdmission,
): Promise<Admission> {
  const { caller, input, key } = message;
  mayAsk(context, caller, input.limits);
  const first = repeated(context, key);
  if (first !== null) return first;
  rejectWhileActive(context, input.when);
  await context.faults.at("admission.message-agent");
  const agent = await agentOf(context);
  return withTakenFiles(context, driver, {
    input,
    admit: (parts, claim) => admitParts(context, driver, { ...message, parts, agent, claim }),
  });
}

/** Admits a message whose files are in the thread. */
async function admitParts(
  context: ObjectContext,
  driver: Driver,
  { input, key, parentRunId = null, claim, ...said }: MessageAdmission & Said & { claim: () => void },
): Promise<Admission> {
  await context.faults.at("admission.draft");
  const draft = await draftOf(context, input, said);
  // Other callers may have come while the hooks ran.
  const meanwhile = repeated(context, key);
  if (meanwhile !== null) return meanwhile;
  mustBeThere(driver);
  rejectWhileActive(context, input.when);

  claim();
  const after = context.live.lastSeq;
  if (!input.run) {
    const [stored] = context.live.append([draft]);
    afterwards(context, stored ?? draft);
    const answer = { message: toMessage(stored ?? draft), run: null, after, repeated: false };
    return kept(context, key, answer);
  }
  const limits = input.limits ?? null;
  const run = newRun(context, { kind: "message", limits, input: draft, parentRunId });
  const admitted = startRun(context, driver, run);
  const message = { ...draft, run_id: run.id };
  afterwards(context, message);
  const answer = { message: shown(context, message), run: toRun(admitted), after, repeated: false };
  return kept(context, key, answer);
}

/** Admits a run without a message. */
export async function admitRun(
  context: ObjectContext,
  driver: Driver,
  { caller, input, key }: { caller: Caller; input: PostRun; key: RequestKey | null },
): Promise<Admission> {
  mayAsk(context, caller, input.limits);
  const first = repeated(context, key);
  if (first !== null) return first;
  await context.faults.at("admission.run-agent");
  const agent = await agentOf(context);
  mustBeThere(driver);
  const { live } = context;
  // Two models need nobody's word to begin with (decision 9).
  if (agent.type !== "dual_ai" && isEmpty(context)) {
    throw refuse("conflict", "There is nothing to continue: the thread has no message yet. Send one.");
  }
  if (live.record.active_run_id === null && live.record.held && live.record.queue.length > 0) {
    // A continue after a stop lets the queue go on; there is nothing else it could mean.
    const after = live.lastSeq;
    live.change({ held: false });
    driver.beginNext();
    const run = live.store.run(live.record.active_run_id ?? "");
    return kept(context, key, { message: null, run: run === null ? null : toRun(run), after, repeated: false });
  }
  const kind: RunKind = "continue";
  const after = live.lastSeq;
  const side = input.side === undefined ? {} : { side: input.side };
  const fresh = newRun(context, { kind, limits: input.limits ?? null, input: null });
  const run = startRun(context, driver, { ...fresh, ...side });
  return kept(context, key, { message: null, run: toRun(run), after, repeated: false });
}

/** What a message says, and to whom. */
interface Said {
  parts: StoredPart[];
  agent: AnyAgentDefinition;
}

async function draftOf(context: ObjectContext, input: PostMessage, { parts, agent }: Said): Promise<MessageRecord> {
  const { live, clock } = context;
  const bytes = new TextEncoder().encode(JSON.stringify(parts)).byteLength;
  if (bytes > messageLimit) {
    throw refuse("too_large", `The message has ${bytes} bytes; at most ${messageLimit} are taken.`, {
      field: "content",
      limit: messageLimit,
    });
  }
  const draft = messageDraft({
    id: live.uuids.next(),
    role: input.role,
    parts,
    branch: live.record.branch,
    at: clock.now(),
    silent: input.silent,
    // A person who speaks up between two models is told apart from both (decision 9).
    metadata:
      agent.type === "dual_ai" && input.role === "user" && !isEmpty(context)
        ? { ...input.metadata, ...humanMark }
        : input.metadata,
  });
  const { hooks } = definitionAccess(context, null);
  return hooks.beforeCreateMessage(draft);
}

function isEmpty({ live }: ObjectContext): boolean {
  return totalOf(live.record.counts, { includeSilent: true }) === 0;
}

/** Hooks see a message once it is admitted, and nobody waits for them. */
function afterwards(context: ObjectContext, message: MessageRecord): void {
  const { hooks } = definitionAccess(context, null);
  context.background(hooks.afterCreateMessage(message));
}

/** Begins the run, or lets it wait for the one that is active. */
export function startRun(context: ObjectContext, driver: Driver, run: RunRecord): RunRecord {
  mustBeThere(driver);
  const { live } = context;
  const idle = live.record.active_run_id === null;
  if (live.record.queue.length >= queueLimit) {
    const way = idle ? "Let them begin with POST …/runs" : "Wait for them, or stop the thread";
    throw refuse("conflict", `${queueLimit} inputs wait already. ${way}.`);
  }
  if (live.record.held) live.change({ held: false });
  if (idle && live.record.queue.length === 0) {
    return driver.begin(run, { trigger: triggerOf(run), isNew: true });
  }
  const queued = enqueueRun(context, run);
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

function rejectWhileActive({ live }: ObjectContext, when: PostMessage["when"]): void {
  if (when !== "reject" || live.record.active_run_id === null) return;
  throw refuse("conflict", 'A run is active. Wait for it, stop it, or send with when: "queue".', {
    run_id: live.record.active_run_id,
  });
}

/** A user may ask for less than the deployment allows; more is an admin's to give. */
function mayAsk({ settings }: ObjectContext, caller: Caller, limits: Limits | undefined): void {
  const steps = limits?.steps;
  if (caller.admin || steps === undefined || settings.stepCeiling === null) return;
  if (steps !== null && steps <= settings.stepCeiling) return;
  throw refuse(
    "forbidden",
    `At most ${settings.stepCeiling} steps a run are allowed here; more needs an admin's token.`,
    {
      field: "limits.steps",
      limit: settings.stepCeiling,
    },
  );
}

/** The thread may have been deleted while hooks or definitions were waited for. */
function mustBeThere(driver: Driver): void {
  if (driver.gone) throw refuse("thread_not_found", "There is no such thread.");
}

function agentOf({ live, definitions }: ObjectContext): Promise<AnyAgentDefinition> {
  return definitions.agent(live.record.agent_id);
}

/** The first answer again, where the key was used before. */
function repeated({ live }: ObjectContext, key: RequestKey | null): Admission | null {
  const known = key === null ? null : live.store.key(key.key);
  if (known === null || key === null) return null;
  if (known.fingerprint !== key.fingerprint) {
    throw refuse("conflict", "This Idempotency-Key was used before with another body.");
  }
  const { message_id, run, after } = known.answer as { message_id: string | null; run: Run | null; after: number };
  const waiting = run === null ? null : (live.store.run(run.id)?.queued?.message ?? null);
  const message = message_id === null ? null : (live.store.message(message_id) ?? waiting);
  return { message: message === null ? null : toMessage(message), run, after, repeated: true };
}

function kept({ live, clock }: ObjectContext, key: RequestKey | null, answer: Admission): Admission {
  if (key === null) return answer;
  const { message, run, after } = answer;
  const record = { message_id: message?.id ?? null, run, after } as unknown as JsonObject;
  live.store.insertKey({ ...key, answer: record, created_at: clock.now() });
  return answer;
}
