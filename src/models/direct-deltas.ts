// The direct path of plain deltas. A provider's package reads each event by four streams, a parser and a schema, which takes most of the
// processor time of a long answer. So plain deltas (`plain/`) reach the conversion without the package, as the parts that the package
// would create; every other event is read by the package. Invariants: the parts are those of the package, in the order of their events; a
// delta is direct only while the package has read every event before it and the delta continues the block of the last one; before the
// package reads another event, it reads the direct deltas as one event, so that its state is as if the server had sent fewer, longer deltas.

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { ChunkCounts } from "#core/ports/model-port.ts";

import type { DirectPath, DirectRaw, PartReading } from "./direct-path.ts";
import type { BodyPieces } from "./observed-fetch.ts";
import type { DeltaKind, PlainDelta, PlainWire } from "./plain/plain-delta.ts";
import { plainWires } from "./plain/plain-wires.ts";
import type { ProviderProfile } from "./provider/provider-profile.ts";
import { StreamReading } from "./read-stream.ts";
import type { StreamRepair } from "./stream-repair.ts";

/** The longest text of direct deltas that the package has not read. It bounds the event that the package reads in their place. */
const longestUnread = 256 * 1024;

/** Creates the direct path of a request; null for a provider without plain deltas. */
export function directPath(profile: ProviderProfile): DirectPath | null {
  const wire = plainWires.get(profile);
  return wire === undefined ? null : new DirectDeltas(wire);
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

class DirectDeltas implements DirectPath {
  readonly #wire: PlainWire;
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
  /** Direct deltas that were not taken. */
  #queue: { plain: PlainDelta; id: string }[] = [];
  #direct = 0;
  #isClosed = false;
  /** Continues the reading of the body, and the reader of the parts. */
  #resume: (() => void) | null = null;
  #wake: (() => void) | null = null;

  constructor(wire: PlainWire) {
    this.#wire = wire;
  }

  get chunks(): ChunkCounts {
    return { direct: this.#direct, package: this.#forwarded - this.#repeatedCount };
  }

  #repeatedCount = 0;

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
      this.#direct += 1;
      this.#wake?.();
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
    // Data that was sent in several lines is sent in several lines again.
    return sent.length > 1 ? sent.map((data) => data.replaceAll("\n", "\ndata: ")) : sent;
  }

  #repeat(): string[] {
    if (this.#unread === null) return [];
    const { plain, text } = this.#unread;
    this.#unread = null;
    this.#forwarded += 1;
    this.#repeated.add(this.#forwarded);
    this.#repeatedCount += 1;
    return [JSON.stringify(this.#wire.withDelta(plain, text))];
  }

  paced({ read, cancel }: BodyPieces): BodyPieces {
    const taken = async (): Promise<void> => {
      while (this.#queue.length > 0 && !this.#isClosed) {
        await new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
      }
    };
    return {
      read: () => (this.#queue.length === 0 ? read() : taken().then(read)),
      cancel: (reason) => {
        this.#close();
        return cancel(reason);
      },
    };
  }

  #close(): void {
    this.#isClosed = true;
    this.#resume?.();
  }

  reading(stream: ReadableStream<LanguageModelV3StreamPart>, signal: AbortSignal): PartReading {
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
        if (this.#queue.length > 0) return this.#taken();
        const arrived = arrival;
        if (arrived !== null) {
          arrival = null;
          if ("error" in arrived) throw arrived.error;
          if (arrived.part === null) return null;
          if (this.#isKept(arrived.part)) return [arrived.part];
        }
        if (!isReading) read();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    };
    return {
      read: next,
      close: () => {
        this.#close();
        reading.close();
      },
    };
  }

  /** Takes the direct deltas, as the parts that the package would create. */
  #taken(): LanguageModelV3StreamPart[] {
    const queue = this.#queue;
    this.#queue = [];
    this.#resume?.();
    return queue.flatMap(({ plain: { kind, delta, value, facts }, id }) => {
      const raw: DirectRaw = { type: "raw", rawValue: value, facts };
      return [raw, { type: `${kind}-delta`, id, delta } as const];
    });
  }

  /** Follows the parts of the package. Returns false for the parts of an event that repeats direct deltas. */
  #isKept(part: LanguageModelV3StreamPart): boolean {
    if (part.type === "raw") {
      this.#raws += 1;
      this.#leavesOut = this.#repeated.delete(this.#raws);
      return !this.#leavesOut;
    }
    if (!("delta" in part)) return true;
    if (this.#leavesOut) {
      this.#leavesOut = false;
      return false;
    }
    const last = this.#last;
    const isSettled = last !== null && this.#raws === this.#forwarded && part.type === `${last.kind}-delta`;
    if (isSettled && part.delta === last.delta) this.#open = { kind: last.kind, key: last.key, id: part.id };
    return true;
  }
}
