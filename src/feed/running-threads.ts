// Keeps the running threads of a feed in memory, for watchers that connect later: the catalog (the deployment's index of all threads) lists
// a run only after it has ended. An eviction of the object loses them, and the threads' next heartbeats add them again.

import type { FeedMessage } from "#contract/feed.ts";

/** Maximum number of threads in memory, and of characters of their JSON. Threads that were updated longest ago are dropped first. */
const maxThreads = 200;
const maxCharacters = 256 * 1024;

/** The running threads of one feed object. */
export class RunningThreads {
  readonly #frames = new Map<string, string>();
  #characters = 0;

  /** Records a message to the feed; `frame` is its JSON. */
  record(message: FeedMessage, frame: string): void {
    const id = message.type === "thread_deleted" ? message.thread_id : message.thread.id;
    this.#drop(id);
    if (message.type === "thread_deleted" || message.thread.status !== "running") return;
    this.#frames.set(id, frame);
    this.#characters += frame.length;
    for (const oldest of this.#frames.keys()) {
      if (this.#frames.size <= maxThreads && this.#characters <= maxCharacters) return;
      this.#drop(oldest);
    }
  }

  /** The latest message of each running thread, as JSON. */
  frames(): Iterable<string> {
    return this.#frames.values();
  }

  #drop(id: string): void {
    this.#characters -= this.#frames.get(id)?.length ?? 0;
    this.#frames.delete(id);
  }
}
