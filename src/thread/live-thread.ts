// The thread in memory: its row, its storage, its readers, and the writes that keep the three in step. Every change goes
// through here: number, write, tell. While a run is active the row is not written for each message; what it counts is
// kept here and written when the run rests, or counted again after a crash.

import { refuse } from "#contract/error.ts";
import type { EventDraft, PlainEvent } from "#contract/event.ts";
import type { Json } from "#contract/json.ts";
import { counted, totalOf } from "#core/message-counts.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { MessageRecord, RunRecord, StoredEvent, ThreadRecord } from "#core/record.ts";
import { totalsOf } from "#core/run-state.ts";
import { toStored } from "#core/stored-event.ts";
import { textOf, toMessage, toThread } from "#core/view.ts";
import { OrderedUuids } from "#lib/ordered-uuid.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { Moments } from "./archive/moment.ts";
import { boundedRows } from "./method/bounded-page.ts";
import { Broadcaster } from "./reader/broadcaster.ts";
import { EventNumbers, reservation } from "./reader/event-numbers.ts";
import { openCallEvents } from "./reader/open-calls.ts";
import { replay } from "./reader/replay.ts";
import type { ReplayFrom, ReplayPart } from "./reader/replay.ts";

/** Messages a snapshot shows at most, and UTF-16 units of JSON they may take. */
const snapshotMessages = 200;
const snapshotBytes = 1024 * 1024;

/** A thread that exists, loaded from its row. */
export class LiveThread {
  readonly store: ManagedThreadStore;
  readonly clock: Clock;
  readonly uuids: OrderedUuids;
  readonly broadcaster: Broadcaster;
  /** Moments of the thread that exports read. */
  readonly moments = new Moments();
  /** Tool messages of the driven run whose calls take no answer any more. */
  readonly closing = new Set<string>();
  readonly #numbers: EventNumbers;
  #record: ThreadRecord;
  /** The running run's own list of its messages; told here of every message that joins. */
  #transcript: MessageRecord[] | null = null;
  #run: RunRecord | null = null;
  #retired = false;
  #flush: () => void = () => {};
  #saved: () => void = () => {};

  constructor(store: ManagedThreadStore, record: ThreadRecord, clock: Clock) {
    this.store = guarded(this.moments.watch(store), () => this.#retired);
    this.clock = clock;
    this.#record = record;
    this.uuids = new OrderedUuids(() => Math.floor(clock.now() / 1000));
    this.uuids.rise(record.last_position);
    const afterCrash = record.active_run_id !== null;
    this.#numbers = new EventNumbers(() => this.#record, { afterCrash, reserve: () => this.save() });
    if (afterCrash) this.#recount();
    this.broadcaster = new Broadcaster({
      threadId: record.id,
      clock,
      numbers: this.#numbers,
      replay: (from) => this.replay(from),
      snapshot: () => this.snapshot(),
      idle: () => this.#idle,
      driven: () => this.#run !== null,
    });
  }

  get record(): Readonly<ThreadRecord> {
    return this.#record;
  }

  get lastSeq(): number {
    return this.#numbers.last;
  }

  /** The thread was deleted: whatever is still under way can neither read nor write what comes after it under its id. */
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

  /** Writes the row as it is now. */
  save(): void {
    const last_seq = this.#numbers.last;
    this.#record = { ...this.#record, last_seq, seq_reserved: this.#numbers.mark() };
    if (last_seq >= this.#record.seq_reserved) this.#record.seq_reserved = last_seq + reservation;
    this.store.writeThread(this.#record);
    this.#saved();
  }

  /** Called whenever the row was written; a transaction around that may still take it back. */
  onSaved(saved: () => void): void {
    this.#saved = saved;
  }

  /** The messages of the run that is driven; null while none is. */
  get transcript(): readonly MessageRecord[] | null {
    return this.#transcript;
  }

  /** From here on every message that joins is also given to the run. Null ends it. */
  follow(transcript: MessageRecord[] | null): void {
    this.#transcript = transcript;
  }

  /** The run that is being driven, so that what changes before its place is counted there too. */
  drives(run: RunRecord | null): void {
    this.#run = run;
    this.closing.clear();
  }

  /** Sets the current usage of the active run, in memory. The next write of the thread's row stores it. */
  used(run: RunRecord, messages: readonly MessageRecord[]): void {
    const active_totals = totalsOf(run, messages);
    run.steps = active_totals.steps;
    this.change({ active_totals });
  }

  /** The run that is being driven. */
  get driven(): RunRecord | null {
    return this.#run;
  }

  /** What to do when the catalog lacks something while the thread is at rest. */
  onChangeAtRest(flush: () => void): void {
    this.#flush = flush;
  }

  /** Counts a message in and gives it to the running run. The caller writes it. */
  joined(message: MessageRecord): void {
    const { counts, last_message, last_position } = this.#record;
    this.change({
      counts: counted(counts, message, 1),
      last_message: listedText(message) ?? last_message,
      last_position: message.position > last_position ? message.position : last_position,
      updated_at: this.clock.now(),
    });
    this.#transcript?.push(message);
  }

  /** Counts a deleted message out. */
  left(message: MessageRecord): void {
    this.#leftBefore(message);
    this.change({ counts: counted(this.#record.counts, message, -1), updated_at: this.clock.now() });
    this.#relist(message);
    const at = this.#transcript?.findIndex((known) => known.id === message.id) ?? -1;
    if (at !== -1) this.#transcript?.splice(at, 1);
  }

  /** A message from before the active run: after a crash the run's own are counted on top of those. */
  #leftBefore(message: MessageRecord): void {
    const { active_run_id } = this.#record;
    const run = this.#run ?? (active_run_id === null ? null : this.store.run(active_run_id));
    if (run === null || message.position > run.after_position) return;
    run.counts_before = counted(run.counts_before, message, -1);
    this.store.updateRun(run);
  }

  /** Puts a changed message where the running run sees it. */
  changed(message: MessageRecord): void {
    const at = this.#transcript?.findIndex((known) => known.id === message.id) ?? -1;
    if (at !== -1) this.#transcript?.splice(at, 1, message);
    this.#relist(message);
  }

  /** Reads the text of the last message again after a message was changed or deleted, so that lists and search hold no removed text. */
  #relist(changed: MessageRecord): void {
    if (changed.silent || changed.role === "tool") return;
    const { branch, last_message: before } = this.#record;
    let last_message: string | null = null;
    let beyond: string | undefined;
    for (let read = 0; read < mostRelisted && last_message === null; read += 1) {
      const [message] = this.store.messages({ branch, order: "desc", limit: 1, beyond, includeSilent: false });
      if (message === undefined) break;
      last_message = listedText(message);
      beyond = message.position;
    }
    if (last_message !== before) this.change({ last_message });
  }

  /** Stores messages outside of a step, together with what `change` says of the thread, and tells them whole. */
  append(messages: readonly MessageRecord[], change: Partial<ThreadRecord> = {}): MessageRecord[] {
    const stored: MessageRecord[] = [];
    const told: ReturnType<LiveThread["stage"]>[] = [];
    this.atomically(() => {
      for (const message of messages) {
        const inPlace = this.placed(message);
        const one = this.stage(wholeMessage(inPlace));
        const record = { ...inPlace, events: one.stored };
        this.store.insertMessage(record);
        this.joined(record);
        stored.push(record);
        told.push(one);
      }
      this.change(change);
      this.changedAtRest();
      this.save();
    });
    for (const one of told) one.send();
    return stored;
  }

  /** The message in its place: one whose id was drawn before others took theirs gets a place behind them. */
  placed(message: MessageRecord): MessageRecord {
    const inOrder = message.id > this.#record.last_position;
    return { ...message, position: inOrder ? message.id : this.uuids.next() };
  }

  /** Nothing goes on until somebody outside says something. */
  get #idle(): boolean {
    const { active_run_id, status, queue, held } = this.#record;
    if (active_run_id !== null) return status === "awaiting_tool_execution";
    return queue.length === 0 || held;
  }

  /** Marks the change for the catalog; a run's own changes go there when it ends. Written with the next `save`. */
  changedAtRest(): void {
    if (this.#record.active_run_id !== null) return;
    this.change({ outbox: { ...this.#record.outbox, dirty: true } });
    this.#flush();
  }

  /** Writes together or not at all; what was changed in memory goes back with what was not written. */
  atomically<T>(work: () => T): T {
    const record = this.#record;
    const transcript = this.#transcript === null ? [] : [...this.#transcript];
    try {
      return this.store.transaction(work);
    } catch (thrown) {
      this.#record = record;
      this.#transcript?.splice(0, this.#transcript.length, ...transcript);
      throw thrown;
    }
  }

  /** Writes what `work` writes, the events that ride in rows of their own, and the thread's row; then tells them. */
  tell(drafts: EventDraft[], work: (events: readonly PlainEvent[]) => void = () => {}): void {
    const events = drafts.map((draft) => this.broadcaster.number(draft));
    this.atomically(() => {
      work(events);
      for (const event of events) this.store.insertEvent(toStored(event));
      this.save();
    });
    for (const event of events) this.broadcaster.send(event);
  }

  /** A project's own event: stored, so that nobody misses it. */
  emit(name: string, data: Json): void {
    const run = this.#record.active_run_id;
    this.tell([{ type: "custom", ...(run === null ? {} : { run_id: run }), name, data }]);
  }

  /** Numbers events for a row that is about to be written; `send` them when it is. */
  stage(drafts: EventDraft[]): { events: PlainEvent[]; stored: StoredEvent[]; send: () => void } {
    const events = drafts.map((draft) => this.broadcaster.number(draft));
    const send = () => {
      for (const event of events) this.broadcaster.send(event);
    };
    return { events, stored: events.map(toStored), send };
  }

  /** What was told after a number: a part of it, as far as `upTo`, or all of it, from rows and what is in flight. */
  replay(from: ReplayFrom): ReplayPart {
    // Whoever follows the run that his own request began missed only what is still here.
    const recent = this.broadcaster.toldAfter(from.after);
    if (recent !== null) return { events: recent, upTo: null, size: 0, place: from.place };
    const rows = replay(this.store, this.#record, from);
    const known = new Set(rows.events.map((event) => event.seq));
    const last = rows.upTo ?? Number.POSITIVE_INFINITY;
    // What stands around other steps is told before them and written after them.
    const inFlight = this.broadcaster
      .inFlight()
      .filter(({ seq }) => seq > from.after && seq <= last && !known.has(seq));
    return { ...rows, events: [...rows.events, ...inFlight].sort((left, right) => left.seq - right.seq) };
  }

  /** The whole picture: the thread, its latest messages, what is in flight. */
  snapshot(): Extract<ReturnType<typeof snapshotEvent>, object> {
    return snapshotEvent(this);
  }

  /** After a crash the row's counts lack what the cut run added: it is counted again from the run's rows. */
  #recount(): void {
    const { branch, active_run_id } = this.#record;
    const run = active_run_id === null ? null : this.store.run(active_run_id);
    if (run === null) return;
    this.change({ counts: run.counts_before });
    for (const message of this.store.messagesAfter(branch, run.after_position)) {
      this.joined(message);
      this.uuids.rise(message.position);
    }
  }
}

/** The most messages that are read to find the last one with text. They are read one at a time, because each may be large. */
const mostRelisted = 50;

/** The text that lists show of a message; null if they skip the message. */
function listedText(message: MessageRecord): string | null {
  const text = message.silent || message.role === "tool" ? null : textOf(message.parts);
  return text === null || text === "" ? null : text.slice(0, 300);
}

/** The store, until the thread is gone. */
function guarded(store: ManagedThreadStore, gone: () => boolean): ManagedThreadStore {
  return new Proxy(store, {
    get(target, name): unknown {
      if (gone()) throw refuse("thread_not_found", "There is no such thread.");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

function snapshotEvent(live: LiveThread) {
  const { record, store } = live;
  const query = { branch: record.branch, order: "desc" as const, includeSilent: false };
  const messages = boundedRows(
    (beyond, limit) => store.messages({ ...query, limit, beyond }),
    (message) => message.position,
    { limit: snapshotMessages, bytes: snapshotBytes, beyond: undefined },
  )
    .rows.filter((message) => message.status === "complete")
    .reverse()
    .map(toMessage);
  const inFlight = live.broadcaster.inFlight();
  // What an earlier life of the object told of calls that are still open stands in rows alone.
  const known = new Set(inFlight.map(({ seq }) => seq));
  const open = openCallEvents(store, record).filter(({ seq }) => !known.has(seq));
  return {
    type: "snapshot" as const,
    seq: live.lastSeq,
    thread_id: record.id,
    at: live.clock.now(),
    thread: { ...toThread(record), last_seq: live.lastSeq },
    messages,
    partial: [...open, ...inFlight].sort((left, right) => left.seq - right.seq),
  };
}

/** A message that is there at once, as events. */
export function wholeMessage(message: MessageRecord): EventDraft[] {
  const of = {
    message_id: message.id,
    depth: message.depth,
    ...(message.run_id === null ? {} : { run_id: message.run_id }),
    ...(message.silent ? ({ silent: true } as const) : {}),
  };
  const { role, position } = message;
  return [
    { type: "message_start", ...of, role, position },
    { type: "message_end", ...of, message: toMessage(message) },
  ];
}

/** Messages a filter covers, from kept counts; null on a branch that has none kept. */
export function knownTotal(
  record: Readonly<ThreadRecord>,
  query: { branch: string; includeSilent: boolean; maxDepth?: number | undefined },
): number | null {
  return query.branch === record.branch ? totalOf(record.counts, query) : null;
}
