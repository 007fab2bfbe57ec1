// Relays the events of a child thread to its parent thread while the parent has subscribers. Relayed events are best effort: they are not
// stored or retried, because clients can read the child thread itself. The response to a relay states whether the parent has subscribers.
// If it has none, nothing is sent until the parent reports a new one, so that a suspended parent is not woken for nothing.

import type { PlainEvent } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";

import type { DeployedThread } from "../live/live-thread.ts";
import { isDelta } from "../reader/fan-out.ts";

/** The maximum number of events that wait to be sent. Older ones are dropped; clients can read them from the child thread. */
const longestBuffer = 100;

/**
 * Types of events that are sent even if it is unknown whether the parent has subscribers. Events of nested children of these types count
 * too.
 */
const checkingEvents: ReadonlySet<unknown> = new Set(["run_start", "step_end", "run_end"]);

function checksForReaders(event: object): boolean {
  const type: unknown = Reflect.get(event, "type");
  if (type !== "subagent_event") return checkingEvents.has(type);
  const inner: unknown = Reflect.get(event, "event");
  return typeof inner === "object" && inner !== null && checksForReaders(inner);
}

/** The parts of a child thread that relay its events. */
interface FeedContext extends DeployedThread {
  background: (work: Promise<unknown>) => void;
}

/** Relays the events of one child thread. */
export class ParentFeed {
  readonly #context: FeedContext;
  /** Whether the parent has subscribers. Null while that is unknown: after loading, during a relay, and after a failed relay. */
  #watched: boolean | null = null;
  #waiting: PlainEvent[] = [];
  #sending: Promise<void> | null = null;

  constructor(context: FeedContext) {
    this.#context = context;
  }

  /** Called with every event of the child thread. Deltas are not relayed. */
  receive(event: PlainEvent): void {
    if (isDelta(event) || this.#watched === false) return;
    this.#waiting = [...this.#waiting, event].slice(-longestBuffer);
    if (this.#watched === true || checksForReaders(event)) this.#send();
  }

  /** Records that the parent has a subscriber now. Returns false if the call does not come from the parent. */
  setWatchedBy(parentId: string): boolean {
    if (this.#context.live.record.parent?.thread_id !== parentId) return false;
    this.#watched = true;
    return true;
  }

  /** False after the parent has responded that it has no subscribers. */
  get mayBeWatched(): boolean {
    return this.#watched !== false;
  }

  /** Resolves when all events so far are sent, so that the parent receives the result after the events that led to it. */
  async drain(): Promise<void> {
    await this.#sending;
  }

  #send(): void {
    if (this.#sending !== null) return;
    this.#sending = this.#sendAll();
    this.#context.background(this.#sending);
  }

  async #sendAll(): Promise<void> {
    const { live } = this.#context;
    const { threads } = this.#context.deployment;
    const { parent, id } = live.record;
    try {
      // Events of the same turn of the event loop are sent together.
      await Promise.resolve();
      while (parent !== null && this.#waiting.length > 0) {
        const events = this.#waiting as unknown as JsonObject[];
        this.#waiting = [];
        // If `setWatchedBy` is called during the relay, it is newer than the relay's response, which is then ignored.
        this.#watched = null;
        const answer = await threads(parent.thread_id).call("relay", peerCaller, {
          from: id,
          message_id: parent.message_id,
          events,
        });
        this.#watched ??= answer.ok && answer.value.watched;
        if (!this.#watched) break;
      }
      if (this.#watched === false) this.#waiting = [];
    } catch {
      // The events of the failed request are dropped. The next request is sent for an event of `checkingEvents`. Subscribers of the parent
      // see the result in any case, when it is delivered.
      this.#watched = null;
    } finally {
      this.#sending = null;
    }
  }
}
