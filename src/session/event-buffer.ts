// Keeps the events of one execution, so that a reader that comes late, reads twice or leaves early misses no event and does not delay
// the execution.

import type { AgentEvent } from "#contract/session/agent-event.ts";

/** Allows any number of readers, each from the first event on. */
export class EventBuffer implements AsyncIterable<AgentEvent> {
  readonly #events: AgentEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #closed = false;

  push(events: readonly AgentEvent[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  /** Ends the events. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for (let at = 0; ; at += 1) {
      while (at >= this.#events.length) {
        if (this.#closed) return;
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
      const event = this.#events[at];
      if (event !== undefined) yield event;
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
