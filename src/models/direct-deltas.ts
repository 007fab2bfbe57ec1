// The direct path of plain deltas. A provider's package reads each event by four streams, a parser and a schema, which takes most of the
// processor time of a long answer. So plain deltas (`provider/plain/`) reach the conversion without the package, as the parts that the package
// would create; every other event is read by the package. Invariants: the parts are those of the package, in the order of their events; a
// delta is direct only while the package has read every event before it and the delta continues the block of the last one; before the
// package reads another event, it reads the direct deltas as one event, so that its state is as if the server had sent fewer, longer deltas.

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { ChunkCounts } from "#core/ports/model-port.ts";
import { deferred } from "#lib/deferred.ts";
import { platformTimers, type Timers } from "#lib/timers.ts";

import type { BodyPieces } from "./observed-fetch.ts";
import type { DeltaKind, PlainDelta, PlainWire } from "./provider/plain/plain-delta.ts";
import { plainWireOf } from "./provider/plain/plain-wires.ts";
import type { ChunkFacts, ProviderProfile } from "./provider/provider-profile.ts";
import { StreamReading, type Reading } from "./read-stream.ts";
import { RecentAnswers } from "./recent-answers.ts";
import type { StreamRepair } from "./stream-repair.ts";

/** The longest text of direct deltas that the package has not read. It bounds the event that the package reads in their place. */
const longestUnread = 256 * 1024;

/** A chunk whose facts are known, so that they are not read from it again. */
export type DirectRaw = Extract<LanguageModelV3StreamPart, { type: "raw" }> & { facts?: ChunkFacts };

/** The number of plain deltas in a row after which no delta could be direct, and no further one is waited for. */
const mostMisses = 8;

/** The most characters of direct deltas that wait to be joined. */
const longestJoined = 16 * 1024;

/** With at most this number of answers at a time in the isolate, deltas wait no longer than `shortJoinMs` to be joined. */
const fewAnswers = 4;
const shortJoinMs = 10;

/** The answers that are being read in the isolate. */
const answers = new RecentAnswers();

/** How deltas are joined: for at most `joinMs` milliseconds; 0 if each delta is a part of its own. `now` returns milliseconds. */
export interface JoinOptions {
  joinMs: number;
  timers: Timers;
  now: () => number;
}

/** Creates the direct path of a request; null for a provider without plain deltas. */
export async function directPath(profile: ProviderProfile, join: JoinOptions): Promise<DirectDeltas | null> {
  const wire = await plainWireOf(profile);
  return wire === undefined ? null : new DirectDeltas(wire, join);
}

/** The block that the next plain delta continues. */
interface OpenBlock {
  kind: DeltaKind;
  key: string;
  /** The package's id of the block. */
  id: string;
}

/** The next part of the package's stream, or the error that ended it. */
type Arrival = { part: LanguageModelV3StreamPart | null } | { error: unknown };

/** The direct path of one model request. */
export class DirectDeltas {
  readonly #wire: PlainWire;
  readonly #join: JoinOptions;
  /** Stands for this answer among those that are being read. */
  readonly #answer = {};
  #hasResponse = false;
  /** Number of events that the package reads, and number of its chunks so far. */
  #forwarded = 0;
  #raws = 0;
  /** The plain delta in the last event that the package reads. */
  #last: PlainDelta | null = null;
  /** Set while a plain delta may be direct. */
  #open: OpenBlock | null = null;
  /** The direct deltas that the package has not read: the last one, and the characters of all. */
  #unread: { plain: PlainDelta; text: string } | null = null;
  /** The numbers of the events with the characters of direct deltas. Their parts are left out. */
  readonly #repeated = new Set<number>();
  #leavesOut = false;
  /** Direct deltas of one block that were not taken, and their number of characters. */
  #queue: { plain: PlainDelta; id: string }[] = [];
  #queued = 0;
  /** Set while deltas wait to be joined; it ends the wait. */
  #endWait: (() => void) | null = null;
  #direct = 0;
  /** Number of the package's chunks that repeat direct deltas. */
  #leftOut = 0;
  /** Set while the reader of the parts does not wait for one. */
  #isBusy = false;
  #isOver = false;
  /** Number of the package's parts so far, and of plain deltas in a row after which no delta could be direct. */
  #arrivals = 0;
  #misses = 0;
  /** Continues the reading of the body, which waits for the reader of the parts; and the reader, which waits for a part. */
  #resume: (() => void) | null = null;
  #wake: (() => void) | null = null;

  constructor(wire: PlainWire, join: JoinOptions) {
    this.#wire = wire;
    this.#join = join;
  }

  /** The chunks so far. Those of the package are counted when they are read, because a paused turn has events that the package never reads. */
  get chunks(): ChunkCounts {
    return { direct: this.#direct, package: this.#raws - this.#leftOut };
  }

  /** Adds the direct path to the repair of a response. Only the first response of a request has one. */
  after(repair: StreamRepair): StreamRepair {
    // A later response continues the answer of the first one with other numbers of blocks (`paused-turn.ts`).
    if (this.#hasResponse) return repair;
    this.#hasResponse = true;
    return {
      take: (data) => this.#take(data, repair.take(data)),
      end: () => this.#forward(repair.end?.() ?? []),
    };
  }

  /** Returns the data of the events that the package reads in place of an event. */
  #take(data: string, repaired: string[]): string[] {
    if (repaired.length === 0) return repaired;
    const plain = repaired.length === 1 && repaired[0] === data ? this.#wire.read(data) : null;
    const open = this.#open;
    if (plain !== null && open !== null && plain.key === open.key && plain.kind === open.kind && this.#fits(plain)) {
      this.#unread = { plain, text: (this.#unread?.text ?? "") + plain.delta };
      this.#queue.push({ plain, id: open.id });
      this.#queued += plain.delta.length;
      this.#direct += 1;
      if (this.#isDue) this.#wake?.();
      return [];
    }
    const sent = this.#forward(repaired);
    this.#last = plain;
    return sent;
  }

  #fits({ delta }: PlainDelta): boolean {
    return (this.#unread?.text.length ?? 0) + delta.length <= longestUnread;
  }

  /** Adds the event with the characters of the direct deltas, and counts the events that the package reads. */
  #forward(events: string[]): string[] {
    const sent = [...this.#repeat(), ...events];
    this.#open = null;
    this.#last = null;
    // The package reads no chunk from the end mark.
    this.#forwarded += events.filter((data) => data !== "[DONE]").length;
    return sent;
  }

  #repeat(): string[] {
    if (this.#unread === null) return [];
    const { plain, text } = this.#unread;
    this.#unread = null;
    this.#forwarded += 1;
    this.#repeated.add(this.#forwarded);
    return [JSON.stringify(this.#wire.withDelta(plain, text))];
  }

  /** Whether the next delta may be direct as soon as the reader has read the parts of the events before it. */
  get isAwaited(): boolean {
    return this.#last !== null && this.#open === null && this.#misses < mostMisses && !this.#isOver;
  }

  /**
   * Waits until the reader waits for a part and has read the parts of the last plain delta, so that the next one can be direct. A package may
   * also create no part, so the wait ends if nothing arrives.
   */
  async ready(): Promise<void> {
    while (!this.#isOver) {
      if (!this.#isBusy && !this.isAwaited) return;
      const before = this.#arrivals;
      const isIdle = !this.#isBusy;
      await this.#change(isIdle);
      if (!isIdle || this.#isBusy || this.#arrivals !== before || !this.isAwaited) continue;
      this.#misses += 1;
      return;
    }
  }

  /** Waits until the reader waits, a delta can be direct or the reading ends; with `isShort`, at most until all that is ready has run. */
  async #change(isShort: boolean): Promise<void> {
    const { promise, resolve } = deferred<void>();
    this.#resume = resolve;
    const disarm = isShort ? platformTimers.after(0, resolve) : undefined;
    await promise;
    disarm?.();
  }

  /** Reads the next piece of a body when the reader is ready for it. */
  paced({ read, cancel }: BodyPieces): BodyPieces {
    return {
      read: () => (this.#isBusy || this.isAwaited ? this.ready().then(read) : read()),
      cancel: (reason) => {
        this.#end();
        return cancel(reason);
      },
    };
  }

  #end(): void {
    this.#isOver = true;
    this.#resume?.();
  }

  /** Whether direct deltas may be taken: none of their block was taken just before, or they are long. */
  get #isDue(): boolean {
    return this.#endWait === null || this.#queued >= longestJoined;
  }

  /** Lets the next deltas wait, so that they become one part. Longer if many answers are read at a time. */
  #startWait(): void {
    const { joinMs, timers, now } = this.#join;
    this.#stopWait();
    if (joinMs === 0) return;
    const isLong = answers.count(this.#answer, now()) > fewAnswers;
    const disarm = timers.after(isLong ? joinMs : Math.min(joinMs, shortJoinMs), () => {
      this.#endWait = null;
      this.#wake?.();
    });
    this.#endWait = () => {
      disarm();
      this.#endWait = null;
    };
  }

  #stopWait(): void {
    this.#endWait?.();
  }

  /** Waits until a part or a direct delta arrives. */
  async #arrived(): Promise<void> {
    const { promise, resolve } = deferred<void>();
    this.#wake = resolve;
    this.#isBusy = false;
    this.#resume?.();
    await promise;
    this.#isBusy = true;
  }

  /** Reads the parts of the package's stream and the direct deltas, in the order in which their events arrived. */
  reading(
    stream: ReadableStream<LanguageModelV3StreamPart>,
    signal: AbortSignal,
  ): Reading<readonly LanguageModelV3StreamPart[]> {
    const reading = new StreamReading(stream, signal);
    // One read of the package's stream is pending while direct deltas are read.
    let isReading = false;
    let arrival: Arrival | null = null;
    const arrive = (next: Arrival): void => {
      isReading = false;
      arrival = next;
      this.#wake?.();
    };
    const read = (): void => {
      isReading = true;
      reading.read().then(
        (next) => arrive({ part: next === null ? null : (next[0] ?? null) }),
        (error: unknown) => arrive({ error }),
      );
    };
    const next = async (): Promise<readonly LanguageModelV3StreamPart[] | null> => {
      for (;;) {
        const arrived = arrival;
        // Every other part of the answer, its end and an error end the wait.
        if (this.#queue.length > 0 && (arrived !== null || this.#isDue)) return this.#taken();
        if (arrived !== null) {
          arrival = null;
          if ("error" in arrived) throw arrived.error;
          if (arrived.part === null) return null;
          if (this.#isKept(arrived.part)) return [arrived.part];
        }
        if (!isReading) read();
        await this.#arrived();
      }
    };
    return {
      read: next,
      close: () => {
        answers.delete(this.#answer);
        this.#stopWait();
        this.#end();
        reading.close();
      },
    };
  }

  /** Takes the direct deltas, as the parts that the package would create. */
  #taken(): LanguageModelV3StreamPart[] {
    const queue = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    this.#startWait();
    const raws = queue.map(({ plain: { value, facts } }): DirectRaw => ({ type: "raw", rawValue: value, facts }));
    const deltas = queue.map(({ plain: { kind, delta }, id }) => ({ type: `${kind}-delta` as const, id, delta }));
    const [first] = deltas;
    if (this.#join.joinMs > 0 && first !== undefined) {
      return [...raws, { ...first, delta: deltas.map(({ delta }) => delta).join("") }];
    }
    return raws.flatMap((raw, at) => [raw, ...deltas.slice(at, at + 1)]);
  }

  /** Follows the parts of the package. Returns false for the parts of an event that repeats direct deltas. */
  #isKept(part: LanguageModelV3StreamPart): boolean {
    this.#arrivals += 1;
    if (part.type === "raw") {
      this.#raws += 1;
      this.#leavesOut = this.#repeated.delete(this.#raws);
      if (this.#leavesOut) this.#leftOut += 1;
      return !this.#leavesOut;
    }
    if (!("delta" in part)) return true;
    if (this.#leavesOut) {
      this.#leavesOut = false;
      return false;
    }
    const last = this.#last;
    const isSettled = last !== null && this.#raws === this.#forwarded && part.type === `${last.kind}-delta`;
    if (!isSettled || part.delta !== last.delta) return true;
    this.#open = { kind: last.kind, key: last.key, id: part.id };
    this.#startWait();
    this.#misses = 0;
    this.#resume?.();
    return true;
  }
}
