// Writes the records of an import as rows, one by one as they are read, and finally builds the thread's own row. Relations to other threads
// are not imported: no parent, no children, no totals for the catalog (the deployment's index of all threads).

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
import { excess } from "#core/limits/allowed.ts";
import type { Bounds } from "#core/limits/amounts.ts";
import { nothingDone } from "#core/record/blank-run.ts";
import { messageDraft } from "#core/record/message-draft.ts";
import type { StoredEvent, ThreadRecord } from "#core/record/record.ts";
import type { ActiveRun } from "#core/record/run-record.ts";
import { isActive, neverStarted } from "#core/record/run-state.ts";
import { notAnswered, unknownOutcome } from "#core/tools/error-results.ts";
import { branchPath } from "#store/branch-path.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import {
  BranchTree,
  checkIdTime,
  checkRising,
  checkRunState,
  checkTexts,
  importedRun,
  InvalidLine,
  eventsOfCopy,
} from "./import-checks.ts";
import { importedThread, ImportTotals } from "./import-totals.ts";

/** The settings of an import. */
export interface ImportOptions {
  store: ManagedThreadStore;
  threadId: string;
  /** The owner of the imported thread; with `exported`, the owner that the file names. */
  owner: { user: string | null } | "exported";
  /** The highest limits that the importing caller may set for a run. A queued run with higher limits is imported without them. */
  allowed: Bounds;
  /** Microseconds since epoch. */
  now: number;
}

/** The thread's row to write, and the run that was active during the export; null if none was. */
export interface ImportedRows {
  record: ThreadRecord;
  active: ActiveRun | null;
}

/** Writes the rows of one import. The methods throw `InvalidLine` for an invalid record. */
export class ImportRows {
  readonly #setting: ImportOptions;
  readonly #branches = new BranchTree();
  /** Ids of the messages of queued inputs. */
  readonly #waiting = new Set<string>();
  #thread: ArchivedThread | null = null;
  #totals: ImportTotals | null = null;
  #queued = 0;
  #last = { run: "", branch: "", position: "", log: "", seq: 0 };
  /** Id of the last run that was found in the store, so that consecutive rows of one run cause one read. */
  #knownRun = "";

  constructor(setting: ImportOptions) {
    this.#setting = setting;
  }

  /** Writes the row of a line of `bytes` bytes. Ignores lines of folders and files, which `ImportFiles` handles. */
  addLine(line: ArchiveLine, bytes: number): void {
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

  /** Builds the thread's row with the given `creation`. Call it after the last line. */
  result(creation: string): ImportedRows {
    const { store, now } = this.#setting;
    const [thread, totals] = [this.#theThread(), this.#theTotals()];
    const { active } = totals;
    if (this.#queued !== thread.queue.length)
      throw new InvalidLine("ends a file whose queue has runs that are not in it");
    if ((active?.id ?? null) !== thread.active_run_id)
      throw new InvalidLine("ends a file that lacks the run under way");
    for (const id of this.#waiting) {
      if (store.message(id) !== null) throw new InvalidLine(`ends a file in which the input ${id} waits and is there`);
    }
    const record = importedThread(thread, totals, { creation, now });
    const run = active === null ? null : importedRun(active);
    return { record, active: isActive(run) ? { ...run, counts_before: totals.countsBefore } : null };
  }

  #takeThread(thread: ArchivedThread): void {
    const { threadId, owner, now } = this.#setting;
    if (thread.id !== threadId) throw new InvalidLine("is of another thread than the first line");
    if (new Set([thread.active_run_id, ...thread.queue]).size !== thread.queue.length + 1) {
      throw new InvalidLine("has a run twice among those that wait and the one under way");
    }
    checkTexts(thread);
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
    this.#branches.assertKnown(run.branch);
    checkRunState(run, thread);
    // The times are set to before the import, even if the other deployment's clock is ahead: `ranHere` recognises imported runs by that.
    const before = this.#setting.now - 1;
    const started_at = run.started_at === null ? null : Math.min(run.started_at, before);
    const created_at = Math.min(run.created_at, before);
    const kept = { ...this.#withInput(run), created_at, started_at, events: eventsOfCopy(run.events, thread) };
    if (run.id === thread.active_run_id) totals.active = kept;
    totals.addRun(kept);
    this.#setting.store.insertRun(importedRun(kept));
  }

  /** Validates the input of a queued run, and sets its usage to zero, since it has used nothing. Returns other runs unchanged. */
  #withInput(run: ArchivedRun): ArchivedRun {
    if (run.queued === null) return run;
    this.#queued += 1;
    const waiting = { ...run, ...nothingDone(), started_at: null, ended_at: null, limits: this.#limitsOf(run) };
    const { message, branch: made } = run.queued;
    if (made !== undefined) this.#branches.assertKnown(made.parent);
    if (message === null) return waiting;
    checkIdTime(message.id, this.#setting.now / 1000);
    if (message.branch !== this.#theThread().branch)
      throw new InvalidLine("has an input for another branch than the thread's");
    const { role, parts } = message;
    if (message.status !== "complete" || role === "tool" || parts.some(({ type }) => !inputParts.includes(type))) {
      throw new InvalidLine("has an invalid queued input");
    }
    if (this.#waiting.has(message.id)) throw new InvalidLine(`has the input ${message.id} again`);
    this.#waiting.add(message.id);
    const { handoff: _, ...plain } = message;
    const { id, branch, silent, metadata, created_at: at } = plain;
    const sent = messageDraft({ id, role, parts: [], branch, silent, metadata, at });
    const input = { message: { ...plain, ...sent, role, parts, result: null } };
    return { ...waiting, queued: made === undefined ? input : { ...input, branch: made } };
  }

  /** The limits of a queued run; null if they exceed those that the importing caller may set. */
  #limitsOf({ limits }: ArchivedRun): ArchivedRun["limits"] {
    return excess(limits, this.#setting.allowed) === null ? limits : null;
  }

  #takeMessage(message: ArchivedMessage, bytes: number): void {
    const [thread, totals] = [this.#theThread(), this.#theTotals()];
    const { store, now } = this.#setting;
    this.#placeBehindLast(message);
    checkIdTime(message.id, now / 1000);
    checkIdTime(message.position, now / 1000);
    if (store.message(message.id) !== null) throw new InvalidLine(`has the message ${message.id} again`);
    this.#mustHaveRun(message.run_id);
    if (message.status === "started" && message.role !== "tool")
      throw new InvalidLine("is a call under way and no call");
    const open = message.run_id !== null && message.run_id === thread.active_run_id;
    const record = message.status === "started" && !open ? settleCall(message) : message;
    totals.addMessage(message, bytes);
    store.insertMessage({ ...record, ...this.#approvalOf(message), events: eventsOfCopy(message.events, thread) });
  }

  /**
   * The approval in an imported message. A user's file does not prove which user approved the call, so that user's id is kept only in an
   * administrator's import, which keeps the exported owner.
   */
  #approvalOf({ approval }: ArchivedMessage): Pick<ArchivedMessage, "approval"> {
    if (approval === undefined || this.#setting.owner === "exported") return {};
    return { approval: { ...approval, by: null, imported: true } };
  }

  #placeBehindLast({ branch, position }: ArchivedMessage): void {
    const { fork_position } = this.#branches.assertKnown(branch);
    if (branch < this.#last.branch) throw new InvalidLine("does not stand in its order: branches come by their ids");
    if (branch === this.#last.branch) checkRising(this.#last.position, position);
    if (position === "" || (fork_position !== null && position <= fork_position)) {
      throw new InvalidLine("stands before the place where its branch begins");
    }
    this.#last = { ...this.#last, branch, position };
  }

  #takeLog(log: ArchivedLog, bytes: number): void {
    const [thread, totals] = [this.#theThread(), this.#theTotals()];
    this.#last.log = this.#rising(this.#last.log, log.id);
    this.#mustHaveRun(log.run_id);
    totals.addLog(log);
    if (log.run_id !== null && log.run_id === thread.active_run_id) {
      totals.addActiveBytes(bytes);
      if (log.type === "llm_request" && !spendingSchema.safeParse(log.data).success) {
        throw new InvalidLine("does not say what its model request cost");
      }
    }
    this.#setting.store.insertLog({ ...log, events: eventsOfCopy(log.events, thread) });
  }

  #takeEvent(event: StoredEvent): void {
    if (event.seq <= this.#last.seq) throw new InvalidLine("does not stand in its order: events come by their numbers");
    this.#last.seq = event.seq;
    for (const own of eventsOfCopy([event], this.#theThread())) this.#setting.store.insertEvent(own);
  }

  #rising(before: string, id: string): string {
    checkRising(before, id);
    checkIdTime(id, this.#setting.now / 1000);
    return id;
  }

  #mustHaveRun(id: string | null): void {
    if (id === null || id === this.#knownRun) return;
    if (this.#setting.store.run(id) === null) throw new InvalidLine(`speaks of a run ${id} that is not in the file`);
    this.#knownRun = id;
  }

  #theThread(): ArchivedThread {
    if (this.#thread === null) throw refuse("internal", "A line was taken before that of the thread.");
    return this.#thread;
  }

  /** The totals. They need all branches, whose lines precede every line that is counted. */
  #theTotals(): ImportTotals {
    const { branch } = this.#theThread();
    this.#branches.assertKnown(branch);
    return (this.#totals ??= new ImportTotals(branchPath(branch, (id) => this.#branches.find(id))));
  }
}

/** The types of parts that a client can send in a message. */
const inputParts: readonly string[] = ["text", "image", "file"];

/** A started call with an error result, since no run will finish it. The error depends on whether the call may have run already. */
function settleCall(message: ArchivedMessage): ArchivedMessage {
  const { status, error = "" } = neverStarted(message) ? notAnswered : unknownOutcome;
  return { ...message, status: "complete", parts: [{ type: "text", text: error }], result: { status, error } };
}
