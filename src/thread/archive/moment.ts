// The rows of a thread as they stood at a moment, for a reader that takes its time: what is written over or deleted behind
// that moment is kept until it was read, and what came behind it is known by its id. Only what changes meanwhile is held in
// memory, and no more of it than a bound for all readers together.

import { refuse } from "#contract/error.ts";
import type { MessageRecord, RunRecord, ThreadRecord } from "#core/record.ts";
import type { ManagedThreadStore, MessagePosition } from "#store/thread-lifecycle.ts";

/** UTF-16 units of JSON that all moments of a thread may keep. */
const momentLimit = 16 * 1024 * 1024;

/** What an id or a tag takes, about. */
const idSize = 200;

/** What a moment knows of a row: the row as it was; null for one that was not there; undefined for one that still is as it was. */
type Before<Row> = Row | null | undefined;

/** One moment. */
export class Moment {
  readonly #all: Moments;
  readonly #messages = new Map<string, MessageRecord | null>();
  readonly #runs = new Map<string, RunRecord | null>();
  readonly #logs = new Set<string>();
  readonly #deleted: MessageRecord[] = [];
  readonly #lateFiles: Set<string>;
  #size = 0;
  #isLost = false;

  constructor(all: Moments, { background: { attachments = [] } }: Pick<ThreadRecord, "background">) {
    this.#all = all;
    this.#lateFiles = new Set(attachments.map(({ etag }) => etag));
  }

  /** UTF-16 units it keeps. */
  get size(): number {
    return this.#size;
  }

  message(id: string): Before<MessageRecord> {
    this.#mustHold();
    return this.#messages.get(id);
  }

  run(id: string): Before<RunRecord> {
    this.#mustHold();
    return this.#runs.get(id);
  }

  /** Whether a log row came later. */
  isLaterLog(id: string): boolean {
    this.#mustHold();
    return this.#logs.has(id);
  }

  /** Whether a file is one of a message that was not there yet. */
  isLateFile(tag: string): boolean {
    this.#mustHold();
    return this.#lateFiles.has(tag);
  }

  /** Messages that were deleted since, whose place is behind `after` and not behind `upTo`; null for no end. */
  deleted(after: MessagePosition | null, upTo: MessagePosition | null): MessageRecord[] {
    this.#mustHold();
    return this.#deleted.filter(
      (message) => (after === null || isBehind(message, after)) && (upTo === null || !isBehind(message, upTo)),
    );
  }

  /** Every row was read: only files are still to come. */
  forgetRows(): void {
    this.#messages.clear();
    this.#runs.clear();
    this.#logs.clear();
    this.#deleted.length = 0;
    this.#size = this.#lateFiles.size * idSize;
  }

  /** Nobody reads any more. */
  end(): void {
    this.#all.drop(this);
  }

  messageCame(id: string): void {
    if (this.#messages.has(id)) return;
    this.#messages.set(id, null);
    this.#add(idSize);
  }

  messageChanges(before: MessageRecord): void {
    if (this.#messages.has(before.id)) return;
    this.#messages.set(before.id, before);
    this.#add(JSON.stringify(before).length);
  }

  messageGoes(now: MessageRecord): void {
    this.messageChanges(now);
    const before = this.#messages.get(now.id) ?? null;
    if (before !== null) this.#deleted.push(before);
  }

  runCame(id: string): void {
    if (this.#runs.has(id)) return;
    this.#runs.set(id, null);
    this.#add(idSize);
  }

  runChanges(before: RunRecord): void {
    if (this.#runs.has(before.id)) return;
    this.#runs.set(before.id, before);
    this.#add(JSON.stringify(before).length);
  }

  logCame(id: string): void {
    this.#logs.add(id);
    this.#add(idSize);
  }

  filesNoted({ background: { attachments = [] } }: Pick<ThreadRecord, "background">): void {
    for (const { etag } of attachments) {
      if (this.#lateFiles.has(etag)) continue;
      this.#lateFiles.add(etag);
      this.#add(idSize);
    }
  }

  #add(size: number): void {
    this.#size += size;
    if (this.#all.size <= momentLimit) return;
    this.#isLost = true;
    this.forgetRows();
    this.end();
  }

  #mustHold(): void {
    if (!this.#isLost) return;
    throw refuse("conflict", "The thread changed too much while it was exported. Export it again when less goes on.");
  }
}

/** The moments of one thread that somebody reads. */
export class Moments {
  readonly #held = new Set<Moment>();

  /** The present one. `record` is the thread's row. Whoever takes it ends it. */
  take(record: Pick<ThreadRecord, "background">): Moment {
    const moment = new Moment(this, record);
    this.#held.add(moment);
    return moment;
  }

  drop(moment: Moment): void {
    this.#held.delete(moment);
  }

  get size(): number {
    let size = 0;
    for (const moment of this.#held) size += moment.size;
    return size;
  }

  /** The store, telling the moments of each write before it happens. */
  watch(store: ManagedThreadStore): ManagedThreadStore {
    const held = this.#held;
    const each = (tell: (moment: Moment) => void) => {
      for (const moment of held) tell(moment);
    };
    const changing = <Row>(before: () => Row | null, tell: (moment: Moment, row: Row) => void) => {
      const row = held.size === 0 ? null : before();
      if (row !== null) each((moment) => tell(moment, row));
    };
    return {
      ...store,
      writeThread(record) {
        each((moment) => moment.filesNoted(record));
        store.writeThread(record);
      },
      insertMessage(message) {
        each((moment) => moment.messageCame(message.id));
        store.insertMessage(message);
      },
      updateMessage(message) {
        changing(
          () => store.message(message.id),
          (moment, row) => moment.messageChanges(row),
        );
        store.updateMessage(message);
      },
      deleteMessage(message) {
        changing(
          () => store.message(message.id),
          (moment, row) => moment.messageGoes(row),
        );
        store.deleteMessage(message);
      },
      insertRun(run) {
        each((moment) => moment.runCame(run.id));
        store.insertRun(run);
      },
      updateRun(run) {
        changing(
          () => store.run(run.id),
          (moment, row) => moment.runChanges(row),
        );
        store.updateRun(run);
      },
      insertLog(log) {
        each((moment) => moment.logCame(log.id));
        store.insertLog(log);
      },
    };
  }
}

function isBehind(one: MessagePosition, other: MessagePosition): boolean {
  return one.branch === other.branch ? one.position > other.position : one.branch > other.branch;
}
