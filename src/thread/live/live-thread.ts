// The thread in memory: its row, its storage, its subscribers, and the writes that keep them consistent. While a run is active, the
// thread's row is not written for each message: its counts are changed in memory, written when the run is suspended or ends, and counted
// again if the thread is loaded while a run is active.

import type { EventDraft, PlainEvent } from "#contract/event.ts";
import type { Clock } from "#core/ports/clock.ts";
import { changedCounts } from "#core/record/message-counts.ts";
import type { BackgroundRecord, MessageRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { totalsOf } from "#core/record/run-state.ts";
import { toStored } from "#core/record/stored-event.ts";
import { toThread } from "#core/record/view.ts";
import { wholeMessage } from "#core/record/whole-message.ts";
import { OrderedUuids } from "#lib/ordered-uuid.ts";
import { unreachable } from "#lib/unreachable.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { Deployment } from "../deployment.ts";
import { Broadcaster } from "../reader/broadcaster.ts";
import { EventNumbers, reservation } from "../reader/event-numbers.ts";
import { replay } from "../replay/replay.ts";
import { guardedStore } from "./guarded-store.ts";
import { changeByMessage, readLastText, titleByChange, titleByMessage } from "./listed-facts.ts";
import { LiveRunState } from "./live-run-state.ts";
import { RowSnapshots } from "./row-snapshot.ts";
import { threadSnapshot } from "./thread-snapshot.ts";

/** A loaded thread, and what its deployment shares: the parts that most functions take. */
export interface DeployedThread {
  deployment: Deployment;
  live: LiveThread;
}

/**
 * A loaded thread. Which member a caller needs:
 *
 * - `record`, `store`, `snapshot` read.
 * - `change` changes the thread's row in memory; `save` writes it. A change without `save` is written with the next write.
 * - `insertMessage`, `insertWhole`, `updateMessage`, `deleteMessage` write a message's row, and update the counts, the title, the text that
 * lists show, and the messages of the executed run.
 * - `transaction` writes several rows or none. Inside it, `stage` numbers events that are stored in the rows that it writes.
 * - `emit` stores events in rows of their own and sends them; `emitUpdated` emits the thread as it is.
 * - `runState` holds the executed run.
 */
export class LiveThread {
  readonly store: ManagedThreadStore;
  readonly clock: Clock;
  readonly uuids: OrderedUuids;
  readonly broadcaster: Broadcaster;
  readonly runState = new LiveRunState();
  /** Snapshots of the thread's rows for exports. */
  readonly rowSnapshots = new RowSnapshots();
  readonly #numbers: EventNumbers;
  #record: ThreadRecord;
  /** Events to send when the current transaction has succeeded; null outside of a transaction. */
  #staged: PlainEvent[] | null = null;
  #retired = false;
  #flush: () => void = () => {};
  #saved: () => void = () => {};

  constructor(store: ManagedThreadStore, record: ThreadRecord, clock: Clock) {
    this.store = guardedStore(this.rowSnapshots.observeWrites(store), () => this.#retired);
    this.clock = clock;
    this.#record = record;
    this.uuids = new OrderedUuids(() => Math.floor(clock.now() / 1000));
    this.uuids.continueAfter(record.last_position);
    const afterCrash = record.active_run_id !== null;
    this.#numbers = new EventNumbers(() => this.#record, { afterCrash, reserve: () => this.save() });
    if (afterCrash) this.#recount();
    this.broadcaster = new Broadcaster({
      threadId: record.id,
      clock,
      numbers: this.#numbers,
      replay: (from) => replay(this.store, this.#record, from),
      snapshot: (includeSilent) => this.snapshot(includeSilent),
      idle: () => this.#isIdle,
      executing: () => this.runState.run !== null,
    });
  }

  get record(): Readonly<ThreadRecord> {
    return this.#record;
  }

  get lastSeq(): number {
    return this.#numbers.last;
  }

  /** Marks the thread as deleted: from now on `store` refuses every read and write. */
  retire(): void {
    this.#retired = true;
  }

  get retired(): boolean {
    return this.#retired;
  }

  /** Changes the row in memory; `save` writes it. */
  change(change: Partial<ThreadRecord>): void {
    this.#record = { ...this.#record, ...change };
  }

  /** Changes the state of the background work in memory. An undefined field is removed. */
  changeBackground(change: { [F in keyof BackgroundRecord]?: BackgroundRecord[F] | undefined }): void {
    const { catalog = this.#record.background.catalog, ...others } = change;
    const background = { ...this.#record.background, ...others, catalog };
    this.change({ background: background as BackgroundRecord });
  }

  /** Writes the row as it is now. */
  save(): void {
    const last_seq = this.#numbers.last;
    this.#record = { ...this.#record, last_seq, seq_reserved: this.#numbers.mark() };
    if (last_seq >= this.#record.seq_reserved) this.#record.seq_reserved = last_seq + reservation;
    this.store.writeThread(this.#record);
    this.#saved();
  }

  /** Sets a function that is called after each write of the row. The transaction around the write may still fail. */
  onSaved(saved: () => void): void {
    this.#saved = saved;
  }

  /**
   * Sets a function that is called when the thread changes while it is idle, to update the catalog (the deployment's index of all threads).
   */
  onIdleChange(flush: () => void): void {
    this.#flush = flush;
  }

  /**
   * Marks the thread, and the ended run, as changed for the catalog (the deployment's index of all threads). The caller writes the thread's
   * row.
   */
  markForCatalog(runId?: string): void {
    const { runs, ...mark } = this.#record.background.catalog;
    this.changeBackground({ catalog: { ...mark, dirty: true, runs: runId === undefined ? runs : [...runs, runId] } });
  }

  /**
   * Marks the thread for an update of the catalog (the index of all threads), unless a run is active, because the run's end marks the
   * thread. Written with the next `save`.
   */
  markIdleChange(): void {
    if (this.#record.active_run_id !== null) return;
    this.changeBackground({ catalog: { ...this.#record.background.catalog, dirty: true } });
    this.#flush();
  }

  /** Sets the usage of the active run in memory. The next write of the thread's row stores it. */
  used(run: RunRecord, messages: readonly MessageRecord[]): void {
    const active_totals = totalsOf(run, messages);
    run.steps = active_totals.steps;
    this.change({ active_totals });
  }

  /** Writes a new message's row. The counts and the text that lists show change in memory. */
  insertMessage(message: MessageRecord): void {
    this.store.insertMessage(message);
    this.change(changeByMessage(this.#record, message, this.clock.now()));
    this.runState.add(message);
  }

  /**
   * Inside `transaction`: writes the row of a new message that is complete, with the events `before` and its own. If the thread has no title,
   * the message of a user gives it one. Returns the message as stored.
   */
  insertWhole(message: MessageRecord, before: readonly EventDraft[] = []): MessageRecord {
    this.change(changeByMessage(this.#record, message, this.clock.now()));
    const title = titleByMessage(this.#record, message);
    if (title !== null) this.change(title);
    // The row also takes the event of a change to another branch that only the thread's row has.
    const changed = this.takeBranchEvent();
    const own = this.stage([...before, ...wholeMessage(message)]);
    const named = title === null ? [] : this.stage([this.#updated()]);
    const stored = { ...message, events: [...changed, ...own, ...named] };
    this.store.insertMessage(stored);
    this.runState.add(stored);
    return stored;
  }

  /** Writes a changed message's row. A title that was made from the message is made again. */
  updateMessage(message: MessageRecord): void {
    this.store.updateMessage(message);
    this.runState.replace(message.id, message);
    this.#relist(message);
    if (message.id === this.#record.titled_by) this.#retitle(message);
  }

  /** Deletes a message's row. The counts and the text that lists show change in memory. */
  deleteMessage(message: MessageRecord): void {
    this.store.deleteMessage(message);
    this.#discount(message);
    this.change({ counts: changedCounts(this.#record.counts, message, -1), updated_at: this.clock.now() });
    this.#relist(message);
    this.runState.replace(message.id, null);
    if (message.id === this.#record.titled_by) this.#retitle(null);
  }

  /**
   * Returns the message with its place: the current branch, and a position, which is its id, or a new one at the end if other messages were
   * added after the id was made.
   */
  placed(message: MessageRecord): MessageRecord {
    const { branch, last_position } = this.#record;
    return { ...message, branch, position: message.id > last_position ? message.id : this.uuids.next() };
  }

  /** Removes the stored event of a change to another branch from the thread's row. The caller stores it in another row. */
  takeBranchEvent(): StoredEvent[] {
    const { branch_event } = this.#record;
    if (branch_event === undefined) return [];
    this.change({ branch_event: undefined });
    return [branch_event];
  }

  /**
   * Writes everything in `write` or nothing. If it fails, changes in memory are undone. Events that `stage` numbered are sent after the
   * outermost transaction has succeeded.
   */
  transaction<T>(write: () => T): T {
    const outer = this.#staged;
    const staged: PlainEvent[] = [];
    this.#staged = staged;
    const record = this.#record;
    const restoreMessages = this.runState.save();
    let result: T;
    try {
      result = this.store.transaction(write);
    } catch (thrown) {
      this.#record = record;
      restoreMessages();
      throw thrown;
    } finally {
      this.#staged = outer;
    }
    if (outer !== null) outer.push(...staged);
    else for (const event of staged) this.broadcaster.send(event);
    return result;
  }

  /** Inside `transaction`: numbers events and returns their stored form, for a row of the transaction. They are sent after it succeeded. */
  stage(drafts: readonly EventDraft[]): StoredEvent[] {
    return this.#number(drafts).map(toStored);
  }

  /** Writes the thread's row, what `write` writes, and events in rows of their own, in one transaction. Then sends the events. */
  emit(drafts: readonly EventDraft[], write: (events: readonly PlainEvent[]) => void = () => {}): void {
    this.transaction(() => {
      const events = this.#number(drafts);
      write(events);
      for (const event of events) this.store.insertEvent(toStored(event));
      this.save();
    });
  }

  /** Emits `thread_updated` with the thread as it is now, after the events `before`. */
  emitUpdated(before: readonly EventDraft[] = []): void {
    this.emit([...before, this.#updated()], (events) => {
      // The new event contains everything that the previous one showed. So the previous one is deleted, and repeated changes need no more
      // storage.
      if (this.#record.updated_seq !== undefined) this.store.deleteEvent(this.#record.updated_seq);
      const seq = events.at(-1)?.seq;
      if (seq !== undefined) this.change({ updated_seq: seq });
    });
  }

  #updated(): EventDraft {
    return { type: "thread_updated", thread: { ...toThread(this.#record), last_seq: this.lastSeq } };
  }

  /** Changes the title that was made from a message; null if the message was deleted. */
  #retitle(message: MessageRecord | null): void {
    const title = titleByChange(this.#record, message);
    if (title === null) return;
    this.change(title);
    this.emitUpdated();
  }

  #number(drafts: readonly EventDraft[]): PlainEvent[] {
    const events = drafts.map((draft) => this.broadcaster.number(draft));
    if (this.#staged === null) unreachable("Events are staged outside of a transaction.");
    this.#staged.push(...events);
    return events;
  }

  /** Returns the thread, its latest messages and its unfinished events. */
  snapshot(includeSilent: boolean): ReturnType<typeof threadSnapshot> {
    return threadSnapshot(this, includeSilent);
  }

  /** True if the active run waits for a client or a person, or if no run is active and none begins from the queue. */
  get #isIdle(): boolean {
    const { active_run_id, status, queue } = this.#record;
    if (active_run_id !== null) return status === "awaiting_tool_execution";
    return queue.run_ids.length === 0 || queue.paused;
  }

  /** Subtracts a deleted message from the counts before the active run. After a crash the run's messages are added to these counts. */
  #discount(message: MessageRecord): void {
    const { active_run_id } = this.#record;
    const run = this.runState.run ?? (active_run_id === null ? null : this.store.run(active_run_id));
    if (run === null || message.position > run.after_position) return;
    run.counts_before = changedCounts(run.counts_before, message, -1);
    this.store.updateRun(run);
  }

  /** Reads the text of the last message again after a message was changed or deleted, so that lists and search do not show removed text. */
  #relist(changed: MessageRecord): void {
    if (changed.silent || changed.role === "tool") return;
    const last_message = readLastText(this.store, this.#record.branch);
    if (last_message !== this.#record.last_message) this.change({ last_message });
  }

  /**
   * Counts the messages of the active run when the thread is loaded: after a crash the row's counts lack them. That is no change of the
   * thread, so its time of change is the later one of the row's and the last message's.
   */
  #recount(): void {
    const { branch, active_run_id } = this.#record;
    const run = active_run_id === null ? null : this.store.run(active_run_id);
    if (run === null) return;
    this.change({ counts: run.counts_before });
    for (const message of this.store.messagesAfter(branch, run.after_position)) {
      this.change(changeByMessage(this.#record, message, Math.max(this.#record.updated_at, message.created_at)));
      this.uuids.continueAfter(message.position);
    }
  }
}
