// Reads a thread's events as a client of `GET …/events` does. The server merges deltas by time, so the reader merges all deltas of a
// block that come between two other events: the result does not depend on time.

import { eventTypes, sseEventName } from "#contract/event.ts";
import type { EventType } from "#contract/event.ts";
import { orderProblems } from "#testing/transcript-invariants.ts";

import { SseReader } from "../http/support/sse-reader.ts";
import { asText } from "./normal-form.ts";

/** The event types of a subscription without deltas. */
export const withoutDeltas = eventTypes.filter((type) => !type.endsWith("_delta")).join();

/** An event as it was received. */
export interface ReadEvent {
  seq: number;
  type: string;
  prev?: number;
  [field: string]: unknown;
}

/** Reads a stream until its end, or until `leave` is called. */
export class EventReader {
  readonly #frames: ReadEvent[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #reader: SseReader;
  /** Frames that contradict themselves. */
  readonly #contradictions: string[] = [];
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;

  readonly #after: number;

  /** Reads the response of a subscription that begins after the event with the number `after`. */
  constructor(response: Response, after = 0) {
    this.#after = after;
    this.#reader = new SseReader(response);
    this.ended = this.#read();
  }

  /** Frames that contradict themselves or their order. */
  get problems(): string[] {
    return [...this.#contradictions, ...orderProblems(this.#frames, this.#after)];
  }

  /** The events as they were received. */
  get frames(): readonly ReadEvent[] {
    return this.#frames;
  }

  /** The number of events of a type. */
  count(type: string): number {
    return this.#frames.filter((frame) => frame.type === type).length;
  }

  /** Resolves with the first event that fits, received or still to come. */
  async until(fits: (event: ReadEvent) => boolean): Promise<ReadEvent> {
    await this.reaches(() => this.#frames.some(fits));
    const found = this.#frames.find(fits);
    if (found === undefined) throw new Error("The event is gone.");
    return found;
  }

  /** Resolves when the condition holds; it is checked after every event. */
  reaches(waitFor: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!waitFor()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Waits for the event with that number or a later one, then ends the stream. */
  async leaveAt(seq: number): Promise<void> {
    await this.reaches(() => (this.#frames.at(-1)?.seq ?? 0) >= seq);
    await this.leave();
  }

  /** Ends the stream. */
  leave(): Promise<void> {
    return this.#reader.cancel();
  }

  /** The events, with deltas merged. */
  get events(): ReadEvent[] {
    const events: ReadEvent[] = [];
    let deltas = new Map<string, ReadEvent>();
    const seal = (): void => {
      events.push(...[...deltas.values()].toSorted((left, right) => left.seq - right.seq));
      deltas = new Map();
    };
    for (const frame of this.#frames) {
      if (!frame.type.endsWith("_delta")) {
        seal();
        events.push(frame);
        continue;
      }
      // The number of the frame before depends on how deltas were merged.
      const { prev: _, ...event } = frame;
      const key = [frame.type, frame["message_id"], frame["index"], frame["tool_call_id"]].join();
      const first = deltas.get(key);
      deltas.set(key, first === undefined ? (event as ReadEvent) : merged(first, event as ReadEvent));
    }
    seal();
    return events;
  }

  async #read(): Promise<void> {
    try {
      for (let item = await this.#reader.nextFrame(); item !== null; item = await this.#reader.nextFrame()) {
        // The frame that ends a stream is no event of the thread.
        if (item.id === undefined) continue;
        const event = JSON.parse(item.data ?? "null") as ReadEvent;
        if (item.id !== String(event.seq))
          this.#contradictions.push(`frame ${item.id ?? ""} is event ${String(event.seq)}`);
        if (item.event !== sseEventName(event.type as EventType))
          this.#contradictions.push(`${event.type} is named ${item.event ?? ""}`);
        this.#frames.push(event);
        for (const look of this.#waiting) look();
      }
    } catch {
      // The stream was canceled.
    }
  }
}

/** Merges two deltas. */
function merged(first: ReadEvent, second: ReadEvent): ReadEvent {
  const from_seq = first["from_seq"] ?? first.seq;
  const isText = typeof first["delta"] === "string" && typeof second["delta"] === "string";
  if (!isText) return { ...second, from_seq };
  return { ...second, from_seq, offset: first["offset"], delta: `${asText(first["delta"])}${asText(second["delta"])}` };
}
