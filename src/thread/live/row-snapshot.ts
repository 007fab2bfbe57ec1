// A consistent snapshot of a thread's rows, for an export that reads them slowly while the thread continues. Before a row is changed or
// deleted, its old version is kept in memory. Rows that were added later are recognised by their ids, and the export skips them. One bound
// limits the memory of all snapshots of a thread together.

import { refuse } from "#contract/error.ts";
import type { MessageRecord, ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import type { ManagedThreadStore, MessagePosition } from "#store/thread-lifecycle.ts";

/** The maximum number of UTF-16 units of JSON that all snapshots of a thread keep together. */
const keptLimit = 16 * 1024 * 1024;

/** The approximate size of an id or a tag in UTF-16 units. */
const idSize = 200;

/** The row when the snapshot was taken: null if it did not exist yet, undefined if it has not changed since. */
type EarlierRow<Row> = Row | null | undefined;

/** The kept row versions of one snapshot. */
export class RowSnapshot {
  readonly #all: RowSnapshots;
  readonly #messages = new Map<string, MessageRecord | null>();
  readonly #runs = new Map<string, RunRecord | null>();
  readonly #logs = new Set<string>();
  readonly #deleted: MessageRecord[] = [];
  readonly #lateFiles: Set<string>;
  #size = 0;
  #isLost = false;

  constructor(all: RowSnapshots, { background: { attachments = [] } }: Pick<ThreadRecord, "background">) {
    this.#all = all;
    this.#lateFiles = new Set(attachments.map(({ etag }) => etag));
  }

  /** UTF-16 units of the kept versions. */
  get size(): number {
    return this.#size;
  }

  earlierMessage(id: string): EarlierRow<MessageRecord> {
    this.#mustHold();
    return this.#messages.get(id);
  }

  earlierRun(id: string): EarlierRow<RunRecord> {
    this.#mustHold();
    return this.#runs.get(id);
  }

  /** Whether a log row was added after the snapshot. */
  isNewLog(id: string): boolean {
    this.#mustHold();
    return this.#logs.has(id);
  }

  /** Whether a file belongs to a message that was not admitted when the snapshot was taken. */
  isPendingAttachment(tag: string): boolean {
    this.#mustHold();
    return this.#lateFiles.has(tag);
  }

  /** Messages that were deleted since the snapshot, with a position after `after` and up to `upTo`; null for no bound. */
  deletedBetween(after: MessagePosition | null, upTo: MessagePosition | null): MessageRecord[] {
    this.#mustHold();
    return this.#deleted.filter(
      (message) => (after === null || isAfter(message, after)) && (upTo === null || !isAfter(message, upTo)),
    );
  }

  /** Frees the kept rows, after every row was read and only files remain. */
  releaseRows(): void {
    this.#messages.clear();
    this.#runs.clear();
    this.#logs.clear();
    this.#deleted.length = 0;
    this.#size = this.#lateFiles.size * idSize;
  }

  /** Ends the snapshot: no more versions are kept for it. */
  release(): void {
    this.#all.drop(this);
  }

  noteInsertedMessage(id: string): void {
    if (this.#messages.has(id)) return;
    this.#messages.set(id, null);
    this.#add(idSize);
  }

  keepMessage(before: MessageRecord): void {
    if (this.#messages.has(before.id)) return;
    this.#messages.set(before.id, before);
    this.#add(JSON.stringify(before).length);
  }

  keepDeletedMessage(now: MessageRecord): void {
    this.keepMessage(now);
    const before = this.#messages.get(now.id) ?? null;
    if (before !== null) this.#deleted.push(before);
  }

  noteInsertedRun(id: string): void {
    if (this.#runs.has(id)) return;
    this.#runs.set(id, null);
    this.#add(idSize);
  }

  keepRun(before: RunRecord): void {
    if (this.#runs.has(before.id)) return;
    this.#runs.set(before.id, before);
    this.#add(JSON.stringify(before).length);
  }

  noteInsertedLog(id: string): void {
    this.#logs.add(id);
    this.#add(idSize);
  }

  noteAttachments({ background: { attachments = [] } }: Pick<ThreadRecord, "background">): void {
    for (const { etag } of attachments) {
      if (this.#lateFiles.has(etag)) continue;
      this.#lateFiles.add(etag);
      this.#add(idSize);
    }
  }

  #add(size: number): void {
    this.#size += size;
    if (this.#all.size <= keptLimit) return;
    this.#isLost = true;
    this.releaseRows();
    this.release();
  }

  #mustHold(): void {
    if (!this.#isLost) return;
    throw refuse("conflict", "The thread changed too much while it was exported. Export it again when less goes on.");
  }
}

/** The snapshots of one thread that exports are reading. */
export class RowSnapshots {
  readonly #held = new Set<RowSnapshot>();

  /** Takes a snapshot. `record` is the thread's row. The caller has to release the snapshot. */
  take(record: Pick<ThreadRecord, "background">): RowSnapshot {
    const moment = new RowSnapshot(this, record);
    this.#held.add(moment);
    return moment;
  }

  drop(moment: RowSnapshot): void {
    this.#held.delete(moment);
  }

  get size(): number {
    let size = 0;
    for (const moment of this.#held) size += moment.size;
    return size;
  }

  /** Wraps the store: before each write, every snapshot receives the old version of the row. */
  observeWrites(store: ManagedThreadStore): ManagedThreadStore {
    const held = this.#held;
    const each = (notify: (snapshot: RowSnapshot) => void) => {
      for (const snapshot of held) notify(snapshot);
    };
    const changing = <Row>(before: () => Row | null, notify: (snapshot: RowSnapshot, row: Row) => void) => {
      const row = held.size === 0 ? null : before();
      if (row !== null) each((snapshot) => notify(snapshot, row));
    };
    return {
      ...store,
      writeThread(record) {
        each((moment) => moment.noteAttachments(record));
        store.writeThread(record);
      },
      insertMessage(message) {
        each((moment) => moment.noteInsertedMessage(message.id));
        store.insertMessage(message);
      },
      updateMessage(message) {
        changing(
          () => store.message(message.id),
          (moment, row) => moment.keepMessage(row),
        );
        store.updateMessage(message);
      },
      deleteMessage(message) {
        changing(
          () => store.message(message.id),
          (moment, row) => moment.keepDeletedMessage(row),
        );
        store.deleteMessage(message);
      },
      insertRun(run) {
        each((moment) => moment.noteInsertedRun(run.id));
        store.insertRun(run);
      },
      updateRun(run) {
        changing(
          () => store.run(run.id),
          (moment, row) => moment.keepRun(row),
        );
        store.updateRun(run);
      },
      insertLog(log) {
        each((moment) => moment.noteInsertedLog(log.id));
        store.insertLog(log);
      },
    };
  }
}

function isAfter(one: MessagePosition, other: MessagePosition): boolean {
  return one.branch === other.branch ? one.position > other.position : one.branch > other.branch;
}
