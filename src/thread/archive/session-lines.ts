// Yields a thread and its child threads as sessions of loops, each as one line of JSON in pieces. Rows are read a few at a time, and a child's
// line is passed on as the child's object sends it, so no session is ever completely in memory. Each thread has its state at the time when its
// line begins. Writes nothing.

import { refuse, ThreadholdError } from "#contract/error.ts";
import { zeroUsage } from "#contract/usage.ts";
import { LoopTail, loopHead, loopMessage, messagesHead, sessionHead } from "#core/archive/session-record.ts";
import type { CalledChild, ProviderOf, RunLinks } from "#core/archive/session-record.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { callerHeader, exportPath } from "#core/rpc/thread-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import type { Definitions } from "#flow/setup/project-definitions.ts";

import type { Deployment } from "../deployment.ts";
import type { DeployedThread } from "../live/live-thread.ts";
import type { RowSnapshot } from "../live/row-snapshot.ts";
import { pieceSize } from "./line-stream.ts";
import { snapshotMessages, snapshotRuns } from "./snapshot-lines.ts";

/** A run in the order of the session, with the fields that the order and the links between runs need. */
interface OutlinedRun extends Pick<RunRecord, "id" | "branch" | "kind"> {
  begins: number;
}

/** The parts of a thread that its export as a session reads. */
interface SessionThread extends DeployedThread {
  definitions: Definitions;
}

/** The dependencies of `sessionPieces`. `caller` also has to be allowed to read each child. */
export interface SessionPieceOptions {
  rows: RowSnapshot;
  caller: Pick<Caller, "user" | "admin">;
}

/** The bytes of the lines: the session of the thread, then those of its child threads, each followed by its own children. */
export async function* sessionPieces(context: SessionThread, options: SessionPieceOptions): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const session = new SessionText(context, options);
  let gathered = "";
  for await (const text of session.pieces()) {
    gathered += text;
    if (gathered.length < pieceSize) continue;
    yield encoder.encode(gathered);
    gathered = "";
  }
  yield encoder.encode(gathered);
  options.rows.releaseRows();
  for (const { thread_id } of session.children) yield* childPieces(context.deployment, thread_id, options.caller);
}

/** The record that is being written. */
interface OpenLoop {
  /** Null for the messages of a thread without runs. */
  run: RunRecord | null;
  tail: LoopTail;
  hasMessage: boolean;
}

/** The line of the thread's own session. */
class SessionText {
  readonly #context: SessionThread;
  readonly #options: SessionPieceOptions;
  readonly #outline: OutlinedRun[];
  readonly #providers = new Map<string, string>();
  readonly #providerOf: ProviderOf = (model) => this.#providers.get(model) ?? "";
  #place = -1;
  #open: OpenLoop | null = null;
  #hasLoop = false;
  /** The child threads that exist, in the order of their calls. Complete when the line has ended. */
  readonly children: CalledChild[] = [];

  constructor(context: SessionThread, options: SessionPieceOptions) {
    this.#context = context;
    this.#options = options;
    this.#outline = outlineOf(snapshotRuns(context.live.store, options));
  }

  async *pieces(): AsyncGenerator<string> {
    const { record, store } = this.#context.live;
    const places = new Map(this.#outline.map(({ id }, at) => [id, at]));
    const last = this.#outline.length - 1;
    yield `${JSON.stringify(sessionHead(record)).slice(0, -1)},"loops":[`;
    for (const message of snapshotMessages(store, this.#options)) {
      // A message of no run is in the record of the run before it, and before the first run in that of the first one.
      if (last === -1 && this.#open === null) yield this.#begun(null, messagesHead(record));
      yield* this.#moveTo(Math.min(places.get(message.run_id ?? "") ?? 0, last));
      if (this.#open !== null) yield await this.#written(message, this.#open);
    }
    yield* this.#moveTo(last);
    yield* this.#end();
    yield "]}\n";
  }

  /** Writes the records up to a place of the outline. The last one stays open for messages. */
  async *#moveTo(place: number): AsyncGenerator<string> {
    while (this.#place < place) {
      yield* this.#end();
      this.#place += 1;
      const { id } = this.#outline[this.#place] ?? { id: "" };
      const run = this.#options.rows.earlierRun(id) ?? this.#context.live.store.run(id);
      // A run can be deleted since the outline was made.
      if (run === null) continue;
      yield this.#begun(run, loopHead(run, this.#context.live.record.id, linksAt(this.#outline, this.#place)));
    }
  }

  /** Begins a record. */
  #begun(run: OpenLoop["run"], head: object): string {
    const comma = this.#hasLoop ? "," : "";
    this.#open = { run, tail: new LoopTail(), hasMessage: false };
    this.#hasLoop = true;
    return `${comma}${JSON.stringify(head).slice(0, -1)},"messages":[`;
  }

  async #written(message: MessageRecord, open: OpenLoop): Promise<string> {
    if (message.model !== null) await this.#loadProvider(message.model);
    open.tail.add(message);
    const shown = loopMessage(message, this.#providerOf);
    return shown === null ? "" : listed(shown, open);
  }

  /** Ends the open record. */
  async *#end(): AsyncGenerator<string> {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const { run, tail } = open;
    const failed = run === null ? null : tail.failedAnswer(run, this.#providerOf);
    if (failed !== null) yield listed(failed, open);
    const child_loop_refs = [];
    for (const child of tail.children) {
      const { tool_call_id, tool_name, thread_id } = child;
      const child_loop_id = await firstRunOf(this.#context.deployment, thread_id, this.#options.caller);
      // The child was deleted, or was not created yet.
      if (child_loop_id === null) continue;
      this.children.push(child);
      child_loop_refs.push({ tool_call_id, tool_name, child_loop_id, child_session_id: thread_id });
    }
    yield `],${JSON.stringify({ ...tail.fields(run ?? { usage: zeroUsage }, this.#providerOf), child_loop_refs }).slice(1)}`;
  }

  /** Rows name the model only. The provider is that of the model's current definition, or unknown. */
  async #loadProvider(model: string): Promise<void> {
    const { definitions } = this.#context;
    if (this.#providers.has(model) || !definitions.has("models", model)) return;
    const { provider } = await definitions.model(model);
    this.#providers.set(model, provider);
  }
}

function listed(message: object, open: OpenLoop): string {
  const comma = open.hasMessage ? "," : "";
  open.hasMessage = true;
  return comma + JSON.stringify(message);
}

/**
 * The runs in the order of the session: by branch, as the messages are read, then by their beginning. An input that joined an active run began
 * no loop, and its message is in the record of that run.
 */
function outlineOf(runs: Iterable<RunRecord>): OutlinedRun[] {
  const outline: OutlinedRun[] = [];
  for (const { id, branch, kind, started_at, created_at, ended_at, joined } of runs)
    if (joined === undefined) outline.push({ id, branch, kind, begins: started_at ?? ended_at ?? created_at });
  return outline.sort(
    (one, other) => compare(one.branch, other.branch) || one.begins - other.begins || compare(one.id, other.id),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The runs before and after a run of the outline, if the later one continues the earlier one without an input. */
function linksAt(outline: readonly OutlinedRun[], at: number): RunLinks {
  const continued = (earlier: OutlinedRun | undefined, later: OutlinedRun | undefined): boolean =>
    earlier !== undefined && later?.kind === "continue" && earlier.branch === later.branch;
  const [before, run, after] = [outline[at - 1], outline[at], outline[at + 1]];
  return {
    continues: continued(before, run) ? (before?.id ?? null) : null,
    continuedBy: continued(run, after) ? (after?.id ?? null) : null,
  };
}

/** The first run of a child thread, which its parent's call began; null if there is no such thread or it has no run. */
async function firstRunOf(
  { threads }: Pick<Deployment, "threads">,
  threadId: string,
  caller: SessionPieceOptions["caller"],
): Promise<string | null> {
  const answer = await threads(threadId).call("listRuns", caller, { limit: 1, order: "asc" });
  if (answer.ok) return answer.value.items[0]?.id ?? null;
  if (answer.refusal.code === "thread_not_found") return null;
  throw new ThreadholdError(answer.refusal);
}

/** The lines of a child thread, from its own object. None if the child was deleted in the meantime. */
async function* childPieces(
  { threads }: Pick<Deployment, "threads">,
  threadId: string,
  caller: SessionPieceOptions["caller"],
): AsyncGenerator<Uint8Array> {
  const url = new URL(`${exportPath}?format=sessions`, "https://thread");
  const headers = { [callerHeader]: JSON.stringify(caller) };
  const response = await threads(threadId).fetch(new Request(url, { headers }));
  if (response.ok && response.body !== null) {
    yield* response.body as ReadableStream<Uint8Array>;
    return;
  }
  await response.body?.cancel();
  if (response.status !== 404) throw refuse("internal", `The child thread ${threadId} could not be exported.`);
}
