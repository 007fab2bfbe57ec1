// Checks that the records of an imported thread are consistent: ascending ids, branches without cycles, event numbers up to the thread's
// last one. The checks keep an import from creating a state that no thread of this deployment can have. A violation throws `InvalidLine`.

import { isFinished } from "#contract/finished.ts";
import { metadataLimit } from "#contract/route.ts";
import type { ArchivedBranch, ArchivedRun, ArchivedThread } from "#core/archive/archive-record.ts";
import { wellFormed } from "#core/archive/parsed-json.ts";
import { noProgress } from "#core/record/blank-run.ts";
import type { StoredEvent } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";

/** An invalid record. The error's message completes a sentence that begins with the number of the record's line. */
export class InvalidLine extends Error {}

/** Milliseconds by which another deployment's clock may be ahead. */
const clockSkew = 24 * 3600 * 1000;

/** The maximum number of branches of a thread. */
const branchLimit = 1000;

/** Throws for an id with a time more than a day in the future: new ids of this deployment would be lower. */
export function checkIdTime(id: string, nowMs: number): void {
  const at = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  if (at > nowMs + clockSkew) throw new InvalidLine(`has the id ${id}, which says that it was made in the future`);
}

/** Throws for metadata that is too large, and for text that is not Unicode. Requests with such fields are refused too. */
export function checkTexts({ title, tags, metadata, agent_id, user_id, setup }: ArchivedThread): void {
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  if (bytes > metadataLimit) throw new InvalidLine(`has metadata of more than ${metadataLimit} bytes`);
  if (wellFormed([title, tags, metadata, agent_id, user_id, setup ?? null])) return;
  throw new InvalidLine("holds half of a surrogate pair, which is no Unicode text");
}

/** Throws if a key is not greater than the previous one. */
export function checkRising(before: string, key: string): void {
  if (key <= before) throw new InvalidLine(`does not stand in its order: ${key} comes after ${before}`);
}

/** The events of a row in their stored form. Throws for numbers after the thread's last event. */
export function eventsOfCopy(events: StoredEvent[], { last_seq }: OwnThread): StoredEvent[] {
  if ((events.at(-1)?.seq ?? 0) > last_seq) throw new InvalidLine("has an event that is later than the thread's last");
  return events.map((event) => {
    if (event.type !== "thread_updated") return event;
    const { seq, type, at } = event;
    return { seq, type, at };
  });
}

/** The fields of the thread that `eventsOfCopy` needs. */
type OwnThread = Pick<ArchivedThread, "last_seq">;

/** Checks the branches in an export: first the root, then each other branch after the one that it forked from. */
export class BranchTree {
  readonly #known = new Map<string, ArchivedBranch>();

  add(branch: ArchivedBranch): void {
    const { id, parent_branch, fork_position } = branch;
    if (this.#known.has(id)) throw new InvalidLine(`has the branch ${id} again`);
    if (this.#known.size === branchLimit) throw new InvalidLine(`has more than ${branchLimit} branches before it`);
    if ((this.#known.size === 0) !== (parent_branch === null))
      throw new InvalidLine("is not the one branch without a parent");
    if ((parent_branch === null) !== (fork_position === null))
      throw new InvalidLine("does not say where its branch forked");
    if (parent_branch !== null) this.assertKnown(parent_branch);
    this.#known.set(id, branch);
  }

  find(id: string): ArchivedBranch | null {
    return this.#known.get(id) ?? null;
  }

  assertKnown(id: string): ArchivedBranch {
    const branch = this.#known.get(id);
    if (branch === undefined) throw new InvalidLine(`speaks of a branch ${id} that is not there`);
    return branch;
  }
}

/** Throws for a run whose state contradicts the thread's record or itself. */
export function checkRunState(run: ArchivedRun, thread: ArchivedThread): void {
  const { id, status, queued, branch, calls } = run;
  const isActive = id === thread.active_run_id;
  const atWork = status === "running" || status === "awaiting_tool_execution";
  if (atWork !== isActive) throw new InvalidLine(`has the status ${status}, and the thread says otherwise`);
  if ((status === "queued") !== thread.queue.includes(id))
    throw new InvalidLine("waits, and is not in the queue, or is and does not");
  if ((queued !== null) !== (status === "queued"))
    throw new InvalidLine("keeps an input that is not waiting, or lacks one that is");
  if (calls !== undefined && status !== "queued") throw new InvalidLine("keeps calls to be made, and does not wait");
  // Lists do not show the row of a joined run, so an import must not use it to hide a run.
  if (run.joined !== undefined && (status !== "completed" || run.started_at !== null))
    throw new InvalidLine("joined another run, and is one itself");
  if (isActive && branch !== thread.branch) throw new InvalidLine("is under way on another branch than the thread's");
}

/** The row of an imported run. Throws for a run that lacks a field that its state requires. */
export function importedRun({ calls, ...run }: ArchivedRun): RunRecord {
  const { status, started_at, ended_at, queued, joined } = run;
  const fields = { ...run, counts_before: {}, queued: null, progress: null };
  if (isFinished(status)) {
    if (joined !== undefined) {
      const { work: _, ...own } = fields;
      return { ...own, status: "completed", started_at: null, ended_at: null, joined };
    }
    if (ended_at === null) throw new InvalidLine("is over and lacks the time of its end");
    const { joined: _, ...own } = fields;
    return { ...own, status, ended_at };
  }
  const { work: _, joined: __, data: ___, ...own } = fields;
  const unended = {
    ...own,
    text: null,
    reason: null,
    outcome: null,
    error: null,
    message_ids: [] as [],
    ended_at: null,
  };
  if (status === "queued") {
    const { overtook: _before, overtaken: _after, ...waiting } = unended;
    const input = { message: null, ...queued, ...(calls === undefined ? {} : { calls }) };
    return { ...waiting, status, started_at: null, stop: false, queued: input };
  }
  if (started_at === null) throw new InvalidLine("is under way and lacks the time at which it began");
  // The import ends the run at once, so the calls for which the run waited are not needed.
  return { ...unended, status: "running", started_at, progress: noProgress() };
}
