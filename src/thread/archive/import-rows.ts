// Writes the records of an import as rows, one by one as they come, and in the end says what the thread's own row is to be.
// Nothing that reaches beyond the thread is taken over: no parent, no children, no totals for the catalog.

import { refuse } from "#contract/error.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { spendingSchema } from "#core/archive/archive-record.ts";
import type {
  ArchivedBranch,
  ArchivedLog,
  ArchivedMessage,
  ArchivedRun,
  ArchivedThread,
} from "#core/archive/archive-record.ts";
import { nothingDone } from "#core/blank-run.ts";
import { excess } from "#core/limits/allowed.ts";
import type { Bounds } from "#core/limits/amounts.ts";
import { messageDraft } from "#core/message-draft.ts";
import type { ActiveRun, StoredEvent, ThreadRecord } from "#core/record.ts";
import { isActive, neverStarted } from "#core/run-state.ts";
import { notAnswered, unknownOutcome } from "#core/tools/error-results.ts";
import { branchPath } from "#store/branch-path.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { reservation } from "../reader/event-numbers.ts";
import {
  BranchTree,
  checkIdTime,
  checkRising,
  checkRunState,
  checkWords,
  importedRun,
  Misfit,
  ownEvents,
} from "./import-checks.ts";
import { ImportTotals } from "./import-totals.ts";

/** What an import is told beside its lines. */
export interface ImportSetting {
  store: ManagedThreadStore;
  threadId: string;
  /** Whose thread it will be; `exported` keeps the owner of the file. */
  owner: { user: string | null } | "exported";
  /** What a run may be allowed to use. */
  allowed: Bounds;
  /** Microseconds since epoch. */
  now: number;
}

/** The thread's row as it is to be, and the run that was under way. */
export interface ImportedRows {
  record: ThreadRecord;
  active: ActiveRun | null;
}

/** One per import. Methods throw `Misfit` for a record that cannot be. */
export class ImportRows {
  readonly #setting: ImportSetting;
  readonly #branches = new BranchTree();
  /** Messages of inputs that wait. */
  readonly #waiting = new Set<string>();
  #thread: ArchivedThread | null = null;
  #totals: ImportTotals | null = null;
  #queued = 0;
  #last = { run: "", branch: "", position: "", log: "", seq: 0 };
  /** A run that is known to be there, so that a row after row of one run asks once. */
  #knownRun = "";

  constructor(setting: ImportSetting) {
    this.#setting = setting;
  }

  /** Takes a line of `bytes` bytes; those of folders and files are not for rows. */
  take(line: ArchiveLine, bytes: number): void {
    switch (line.type) {
      case "thread":
        this.#takeThread(line.thread);
        return;
      case "branch":
        this.#takeBranch(line.branch);
        return;
      case "run":
        this.#takeRun(line.run);
        return;
      case "message":
        this.#takeMessage(line.message, bytes);
        return;
      case "log":
        this.#takeLog(line.log, bytes);
        return;
      case "event":
        this.#takeEvent(line.event);
        return;
      case "folder":
      case "file":
      case "chunk":
      case "void":
      case "end":
        return;
    }
  }

  /** What the thread's row is to be, when every line was taken. `creation` goes into it. */
  result(creation: string): ImportedRows {
    const { store, now } = this.#setting;
    const [thread, totals] = [this.#theThread(), this.#theTotals()];
    const { active } = totals;
    if (this.#queued !== thread.queue.length) throw new Misfit("ends a file whose queue has runs that are not in it");
    if ((active?.id ?? null) !== thread.active_run_id) throw new Misfit("ends a file that lacks the run under way");
    for (const id of this.#waiting) {
      if (store.message(id) !== null) throw new Misfit(`ends a file in which the input ${id} waits and is there`);
    }
    const { id, agent_id, origin_agent_id, user_id, title, tags, metadata, branch, last_seq } = thread;
    const { queue, overtaker } = thread;
    const record: ThreadRecord = {
      id,
      agent_id,
      origin_agent_id,
      user_id,
      title,
      tags,
      metadata,
      branch,
      queue: {
        run_ids: queue,
        steering: 0,
        // What waited begins when somebody says so: an import alone asks no model.
        paused: thread.held || queue.length > 0,
        ...(overtaker === undefined ? {} : { overtaker }),
      },
      status: active === null ? (thread.status === "error" ? "error" : "idle") : "running",
      created_at: Math.min(thread.created_at, now),
      updated_at: Math.min(thread.updated_at, now),
      counts: totals.counts,
      ...totals.spent,
      active_run_id: thread.active_run_id,
      last_seq,
      seq_reserved: last_seq + reservation,
      last_position: totals.lastPosition(thread.last_position),
      last_message: thread.last_message,
      ...(thread.setup === undefined ? {} : { setup: thread.setup }),
      parent: null,
      background: { catalog: { dirty: true, runs: [] } },
      creation,
      imported_at: now,
    };
    const run = active === null ? null : importedRun(active);
    return { record, active: isActive(run) ? { ...run, counts_before: totals.countsBefore } : null };
  }

  #takeThread(thread: ArchivedThread): void {
    const { threadId, owner, now } = this.#setting;
    if (thread.id !== threadId) throw new Misfit("is of another thread than the first line");
    if (new Set([thread.active_run_id, ...thread.queue]).size !== thread.queue.length + 1) {
      throw new Misfit("has a run twice among those that wait and the one under way");
    }
    checkWords(thread);
    if (thread.last_position !== "") checkIdTime(thread.last_position, now / 1000);
    this.#thread = owner === "exported" ? thread : { ...thread, user_id: owner.user };
  }

  #takeBranch(branch: ArchivedBranch): void {
    this.#branches.add(branch);
    this.#setting.store.insertBranch(branch);
  }

  #takeRun(run: ArchivedRun): void {
    const [thread, totals] = [this.#theThread(), this.#theTotals()];
    this.#last.run = this.#rising(this.#last.run, run.id);
    this.#branches.mustHave(run.branch);
    checkRunState(run, thread);
    // It began before it came here, whatever the clock there says: by that it is told from those that begin here.
    const before = this.#setting.now - 1;
    const started_at = run.started_at === null ? null : Math.min(run.started_at, before);
    const created_at = Math.min(run.created_at, before);
    const kept = { ...this.#withInput(run), created_at, started_at, events: ownEvents(run.events, thread) };
    if (run.id === thread.active_run_id) totals.active = kept;
    totals.run(kept);
    this.#setting.store.insertRun(importedRun(kept));
  }

  /** A run that waits, its input made fit to take its place later. It has used nothing yet, whatever the file says. */
  #withInput(run: ArchivedRun): ArchivedRun {
    if (run.queued === null) return run;
    this.#queued += 1;
    const waiting = { ...run, ...nothingDone(), started_at: null, ended_at: null, limits: this.#limitsOf(run) };
    const { message } = run.queued;
    if (message === null) return waiting;
    checkIdTime(message.id, this.#setting.now / 1000);
    if (message.branch !== this.#theThread().branch)
      throw new Misfit("has an input for another branch than the thread's");
    const { role, parts } = message;
    if (message.status !== "complete" || role === "tool" || parts.some(({ type }) => !inputParts.includes(type))) {
      throw new Misfit("has an input that nobody can have sent");
    }
    if (this.#waiting.has(message.id)) throw new Misfit(`has the input ${message.id} again`);
    this.#waiting.add(message.id);
    const { handoff: _, ...plain } = message;
    const { id, branch, silent, metadata, created_at: at } = plain;
    const sent = messageDraft({ id, role, parts: [], branch, silent, metadata, at });
    return { ...waiting, queued: { message: { ...plain, ...sent, role, parts, result: null } } };
  }

  /** What a run that waits may do, and no more than its importer could have asked for. */
  #limitsOf({ limits }: ArchivedRun): ArchivedRun["limits"] {
    return excess(limits, this.#setting.allowed) === null ? limits : null;
  }

  #takeMessage(message: ArchivedMessage, bytes: number): void {
    const [thread, totals] = [this.#theThread(), this.#theTotals()];
    const { store, now } = this.#setting;
    this.#placeBehindLast(message);
    checkIdTime(message.id, now / 1000);
    checkIdTime(message.position, now / 1000);
    if (store.message(message.id) !== null) throw new Misfit(`has the message ${message.id} again`);
    this.#mustHaveRun(message.run_id);
    if (message.status === "started" && message.role !== "tool") throw new Misfit("is a call under way and no call");
    const open = message.run_id !== null && message.run_id === thread.active_run_id;
    const record = message.status === "started" && !open ? settled(message) : message;
    totals.message(message, bytes);
    store.insertMessage({ ...record, ...this.#approvalOf(message), events: ownEvents(message.events, thread) });
  }

  /** The approval of an imported message. A user's file cannot prove that another user approved a call, so only an administrator's import keeps the names. */
  #approvalOf({ approval }: ArchivedMessage): Pick<ArchivedMessage, "approval"> {
    if (approval === undefined || this.#setting.owner === "exported") return {};
    return { approval: { ...approval, by: null, imported: true } };
  }

  #placeBehindLast({ branch, position }: ArchivedMessage): void {
    const { fork_position } = this.#branches.mustHave(branch);
    if (branch < this.#last.branch) throw new Misfit("does not stand in its order: branches come by their ids");
    if (branch === this.#last.branch) checkRising(this.#last.position, position);
    if (position === "" || (fork_position !== null && position <= fork_position)) {
      throw new Misfit("stands before the place where its branch begins");
    }
    this.#last = { ...this.#last, branch, position };
  }

  #takeLog(log: ArchivedLog, bytes: number): void {
    const [thread, totals] = [this.#theThread(), this.#theTotals()];
    this.#last.log = this.#rising(this.#last.log, log.id);
    this.#mustHaveRun(log.run_id);
    totals.log(log);
    if (log.run_id !== null && log.run_id === thread.active_run_id) {
      totals.underWay(bytes);
      if (log.type === "llm_request" && !spendingSchema.safeParse(log.data).success) {
        throw new Misfit("does not say what its model request cost");
      }
    }
    this.#setting.store.insertLog({ ...log, events: ownEvents(log.events, thread) });
  }

  #takeEvent(event: StoredEvent): void {
    if (event.seq <= this.#last.seq) throw new Misfit("does not stand in its order: events come by their numbers");
    this.#last.seq = event.seq;
    for (const own of ownEvents([event], this.#theThread())) this.#setting.store.insertEvent(own);
  }

  #rising(before: string, id: string): string {
    checkRising(before, id);
    checkIdTime(id, this.#setting.now / 1000);
    return id;
  }

  #mustHaveRun(id: string | null): void {
    if (id === null || id === this.#knownRun) return;
    if (this.#setting.store.run(id) === null) throw new Misfit(`speaks of a run ${id} that is not in the file`);
    this.#knownRun = id;
  }

  #theThread(): ArchivedThread {
    if (this.#thread === null) throw refuse("internal", "A line was taken before that of the thread.");
    return this.#thread;
  }

  /** The totals, which need all branches: those stand before everything that is counted. */
  #theTotals(): ImportTotals {
    const { branch } = this.#theThread();
    this.#branches.mustHave(branch);
    return (this.#totals ??= new ImportTotals(branchPath(branch, (id) => this.#branches.find(id))));
  }
}

/** What can be sent in a message. */
const inputParts: readonly string[] = ["text", "image", "file"];

/** A call that was left behind: nobody will ever settle it. One that waited for somebody outside has done nothing. */
function settled(message: ArchivedMessage): ArchivedMessage {
  const { status, error = "" } = neverStarted(message) ? notAnswered : unknownOutcome;
  return { ...message, status: "complete", parts: [{ type: "text", text: error }], result: { status, error } };
}
