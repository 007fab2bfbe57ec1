// Tells a child's parent what the child does, while somebody watches there. A courtesy: nothing is kept or tried again, the
// child's own events are the record. A parent is asked once whether anybody watches; it says so itself when somebody comes,
// so that one that rests unwatched is left alone.

import type { PlainEvent } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import { peerCaller } from "#core/thread-peer.ts";

import type { ObjectContext } from "../object-context.ts";
import { isDelta } from "../reader/delta-buffer.ts";

/** Events that wait at most; a parent that hears nothing of them may read the child. */
const longestBuffer = 100;

/** Events at which a parent is asked whether anybody watches, the child's own or one that its child told. */
const asking: ReadonlySet<unknown> = new Set(["run_start", "step_end", "run_end"]);

function asks(event: object): boolean {
  const type: unknown = Reflect.get(event, "type");
  if (type !== "subagent_event") return asking.has(type);
  const inner: unknown = Reflect.get(event, "event");
  return typeof inner === "object" && inner !== null && asks(inner);
}

/** One per object that has a parent. */
export class ParentFeed {
  readonly #context: Pick<ObjectContext, "live" | "threads" | "background">;
  /** Null while it is not known: after loading, and when the parent could not be reached. */
  #watched: boolean | null = null;
  #waiting: PlainEvent[] = [];
  #sending: Promise<void> | null = null;

  constructor(context: Pick<ObjectContext, "live" | "threads" | "background">) {
    this.#context = context;
  }

  /** Hears every event of the child. */
  hear(event: PlainEvent): void {
    if (isDelta(event) || this.#watched === false) return;
    this.#waiting = [...this.#waiting, event].slice(-longestBuffer);
    if (this.#watched === true || asks(event)) this.#send();
  }

  /** Somebody watches the parent now; false when it is not the parent who says so. */
  watchedBy(parentId: string): boolean {
    if (this.#context.live.record.parent?.thread_id !== parentId) return false;
    this.#watched = true;
    return true;
  }

  /** False when the parent said that nobody watches. */
  get mayBeWatched(): boolean {
    return this.#watched !== false;
  }

  /** Resolves when all events so far are sent, so that a result never reaches the parent before the events that led to it. */
  async drain(): Promise<void> {
    await this.#sending;
  }

  #send(): void {
    if (this.#sending !== null) return;
    this.#sending = this.#sendAll();
    this.#context.background(this.#sending);
  }

  async #sendAll(): Promise<void> {
    const { live, threads } = this.#context;
    const { parent, id } = live.record;
    try {
      // What is told in the same breath goes together.
      await Promise.resolve();
      while (parent !== null && this.#waiting.length > 0) {
        const events = this.#waiting as unknown as JsonObject[];
        this.#waiting = [];
        // Where a watcher comes while the parent answers, its word is the newer one.
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
      // Sent again with the next step. Subscribers of the parent see the result when it is delivered.
      this.#watched = null;
    } finally {
      this.#sending = null;
    }
  }
}
