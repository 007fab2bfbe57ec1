// A thread's server as carriers see it: it has the events so far, sends them again after a number, and can break in every way.

import type { OpenCarrier, CarrierSink } from "#client/follow/carrier.ts";
import type { EventOf, PlainEvent, ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { MessageView } from "#contract/fold.ts";
import type { Message } from "#contract/thread-message.ts";

import { threadId, threadOf } from "./records.ts";

function settled({ streaming, ...message }: MessageView): Message {
  if (streaming) throw new Error(`Message ${message.id} is in flight`);
  return message;
}

/** A carrier that a follow opened. */
export class Wire {
  readonly after: number | null;
  readonly #sink: CarrierSink;
  open = false;
  over = false;
  checks = 0;
  /** Number of the last frame that was sent, whether it arrived or not. */
  prev: number | null;

  constructor(after: number | null, sink: CarrierSink) {
    this.after = after;
    this.prev = after;
    this.#sink = sink;
  }

  opened(): void {
    if (this.over || this.open) return;
    this.open = true;
    this.#sink.opened();
  }

  send(event: ThreadEvent, arrives = true): void {
    const prev = event.type === "snapshot" ? 0 : (this.prev ?? 0);
    this.prev = event.seq;
    const emitted: ThreadEvent = { ...event, prev };
    if (arrives && !this.over) this.#sink.event(emitted);
  }

  lose(error = new Error("cut"), delayMs = 0): void {
    if (this.over) return;
    this.over = true;
    this.#sink.lost(error, delayMs);
  }

  refuse(error = new Error("refused")): void {
    if (this.over) return;
    this.over = true;
    this.#sink.refused(error);
  }
}

/** A server that has emitted a thread's events up to a point. */
export class FakeServer {
  readonly wires: { kind: "socket" | "sse"; wire: Wire }[] = [];
  readonly emitted: PlainEvent[] = [];

  /** Opens carriers of a kind. */
  carrier(kind: "socket" | "sse"): OpenCarrier {
    return ({ after }, sink) => {
      const wire = new Wire(after, sink);
      this.wires.push({ kind, wire });
      return {
        close: () => {
          wire.over = true;
        },
        check: () => {
          wire.checks += 1;
        },
      };
    };
  }

  /** The carrier that is in use, or the last one that was. */
  get wire(): Wire {
    const last = this.wires.at(-1);
    if (last === undefined) throw new Error("Nothing was opened");
    return last.wire;
  }

  /** Sends the frames that its reader has not received, up to a count. */
  catchUp(most = Number.POSITIVE_INFINITY): void {
    const { wire } = this;
    if (!wire.open || wire.over) return;
    if (wire.prev === null) wire.send(this.snapshot());
    for (const event of this.emitted.filter(({ seq }) => seq > (wire.prev ?? 0)).slice(0, most)) wire.send(event);
  }

  /** A complete snapshot: finished messages as messages, and messages in flight as their events. */
  snapshot(): EventOf<"snapshot"> {
    const view = foldAll(this.emitted);
    const flying = new Set(view.messages.filter(({ streaming }) => streaming).map(({ id }) => id));
    return {
      type: "snapshot",
      seq: this.emitted.at(-1)?.seq ?? 0,
      thread_id: threadId,
      at: 1,
      thread: threadOf(),
      messages: view.messages.filter(({ streaming }) => !streaming).map((shown) => settled(shown)),
      partial: this.emitted.filter((event) => event.message_id !== undefined && flying.has(event.message_id)),
    };
  }
}
