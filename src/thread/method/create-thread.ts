// Creates a thread: its schema and row, then its first messages, then its entry in the catalog (the deployment's index of all threads).

import { refuse } from "#contract/error.ts";
import type { InitialMessage } from "#contract/thread-route.ts";
import type { Thread } from "#contract/thread.ts";
import type { TranscriptMessage } from "#contract/transcript.ts";
import { zeroUsage } from "#contract/usage.ts";
import { checkMessageSize, messageDraft } from "#core/record/message-draft.ts";
import type { MessageRecord, StoredPart, ThreadRecord } from "#core/record/record.ts";
import type { Caller, CreateInput } from "#core/rpc/thread-rpc.ts";
import { fitResult } from "#core/tools/read-result.ts";
import { SetupDefinitions } from "#flow/setup/setup-definitions.ts";
import { checkSetupTools } from "#flow/setup/thread-setup.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { initialParts, transcriptParts } from "../attachments/admit-files.ts";
import type { Deployment } from "../deployment.ts";
import { appendMessages } from "../live/append-messages.ts";
import type { DeployedThread } from "../live/live-thread.ts";
import { reservation } from "../reader/event-numbers.ts";
import { definitionAccess } from "../run/definition-access.ts";
import type { OpenThread } from "./loaded-thread.ts";
import type { MethodGroup } from "./method-call.ts";
import { view } from "./thread-changes.ts";

/** The value of `creation` in the row of a thread whose first messages are not stored yet. */
const unfinished = "";

/** The id of every thread's first branch. */
const mainBranch = "main";

/** Dependencies of the creation. `open` loads the created thread. */
export interface CreateContext {
  store: ManagedThreadStore;
  deployment: Deployment;
  open: () => OpenThread | null;
  /** Removes the loaded thread from memory. */
  close: () => void;
}

export const createMethods: MethodGroup<"create"> = {
  create: ({ caller, create }, input) => create((context) => createThread(context, caller, input)),
};

/**
 * Creates the thread. A repeated request returns the same thread; a different request for the same id throws `conflict`. Must not run twice
 * at once.
 */
export async function createThread(
  { store, deployment, open, close }: CreateContext,
  caller: Caller,
  input: CreateInput,
): Promise<Thread> {
  if (!caller.admin && (caller.user === null || caller.user !== input.user_id)) {
    throw refuse("forbidden", "A thread for another user needs an admin's token.");
  }
  const definitions = new SetupDefinitions(deployment.registry, () => input.setup);
  await definitions.agent(input.agent_id);
  if (store.importing() !== null) throw refuse("conflict", `A thread with the id "${input.id}" is being imported.`);
  const known = store.exists() ? store.readThread() : null;
  if (known === null) {
    checkSetupTools(input.setup?.tools ?? [], definitions);
    store.create(newRecord(input, deployment.clock.now()));
  } else mustBeTheSame(known, caller, input);
  const made = open();
  if (made === null) throw refuse("internal", "The thread was made and cannot be read.");
  if (made.live.record.creation !== unfinished) {
    // A crash may have interrupted the first request before the catalog was updated.
    await made.wakeups.updateCatalog();
    return view(made.live);
  }
  try {
    await finishCreation(made, input);
    made.ownerFeed.created(made.live);
  } catch (thrown) {
    // A deletion that began meanwhile deletes what was stored. Its mark stays in the row until then.
    if (made.live.record.deletion !== undefined) throw thrown;
    // A refused creation stores nothing.
    made.driver.abandon();
    await store.destroy();
    made.ownerFeed.deleted(made.live.record);
    close();
    throw thrown;
  }
  return view(made.live);
}

/** Stores the first messages. If a crash interrupts the creation before that, the repeated request continues with this function. */
async function finishCreation(open: OpenThread, input: CreateInput): Promise<void> {
  const { hooks } = definitionAccess(open);
  const messages: MessageRecord[] = [];
  const { drafts, claim } = await firstMessages(open, input);
  for (const draft of drafts) messages.push(await hooks.beforeCreateMessage(draft));
  claim();
  appendMessages(open.live, messages, { creation: input.creation });
  for (const message of messages) await hooks.afterCreateMessage(message);
  await open.wakeups.updateCatalog();
}

/** The parts of a thread that store its first messages. */
type FilledThread = Pick<OpenThread, "deployment" | "live" | "files" | "driver">;

async function firstMessages(
  open: FilledThread,
  { initial_messages: initial = [], transcript }: CreateInput,
): Promise<{ drafts: MessageRecord[]; claim: () => void }> {
  if (transcript !== undefined) return transcriptMessages(open, transcript);
  const { messages: parts, claim } = await initialParts(open, initial);
  return { drafts: initial.map((message, index) => draftOf(message, parts[index] ?? [], open)), claim };
}

function mustBeTheSame(known: ThreadRecord, caller: Caller, input: CreateInput): void {
  const own = caller.admin || known.user_id === caller.user;
  const same = known.creation === input.creation || known.creation === unfinished;
  if (!own || !same) throw refuse("conflict", `The thread id "${input.id}" is in use.`);
}

function draftOf(message: InitialMessage, parts: StoredPart[], { live, deployment }: DeployedThread): MessageRecord {
  return messageDraft({
    id: live.uuids.next(),
    role: message.role,
    parts,
    branch: mainBranch,
    at: deployment.clock.now(),
    silent: message.silent,
    metadata: message.metadata,
  });
}

function newRecord(input: CreateInput, now: number): ThreadRecord {
  return {
    id: input.id,
    agent_id: input.agent_id,
    origin_agent_id: input.agent_id,
    user_id: input.user_id,
    title: input.title ?? null,
    tags: input.tags ?? [],
    metadata: input.metadata ?? {},
    status: "idle",
    created_at: now,
    updated_at: now,
    counts: {},
    usage: zeroUsage,
    cost: 0,
    active_run_id: null,
    queue: { run_ids: [], steering: 0, paused: false },
    branch: mainBranch,
    last_seq: 0,
    seq_reserved: reservation,
    last_position: "",
    last_message: null,
    parent: input.parent ?? null,
    ...(input.setup === undefined ? {} : { setup: input.setup }),
    background: { catalog: { dirty: true, runs: [] } },
    creation: unfinished,
  };
}

/**
 * Converts the transcript with which a thread begins to rows in order: messages, calls and results that no run of this thread
 * produced. `claim` is called right before they are written.
 */
async function transcriptMessages(
  open: FilledThread,
  transcript: readonly TranscriptMessage[],
): Promise<{ drafts: MessageRecord[]; claim: () => void }> {
  const said = transcript.flatMap((message) => (message.role === "user" ? [message] : []));
  const { messages, claim } = await transcriptParts(open, said);
  const parts = new Map(said.map(({ index }, at) => [index, messages[at] ?? []]));
  const { live } = open;
  const { clock } = open.deployment;
  const drafts = transcript.map((message) => {
    const of = { id: live.uuids.next(), branch: live.record.branch, at: clock.now() };
    const draft = { ...of, parts: parts.get(message.index) ?? partsOf(message) };
    const field = `transcript.${message.index}.content`;
    checkMessageSize(draft.parts, { subject: field, field });
    if (message.role === "user") return messageDraft({ ...draft, role: "user" });
    const answer = messageDraft({ ...draft, role: "assistant" });
    if (message.role === "assistant") return { ...answer, stop_reason: message.stop_reason };
    const { stack: _, ...result } = fitResult(message.result);
    const text = result.status === "error" ? (result.error ?? "") : (result.result ?? "");
    const { tool_call_id, name } = message;
    return { ...answer, role: "tool" as const, tool_call_id, name, result, parts: [{ type: "text" as const, text }] };
  });
  return { drafts, claim };
}

function partsOf(message: TranscriptMessage): StoredPart[] {
  return message.role === "assistant" ? message.parts : [];
}
