// The channel of a loop's events (REQ-032): unbounded, so that the loop never waits for a reader. Several loops may send to one channel.

import type { AgentEvent } from "./loop-event.ts";

/** Receives the events of loops. `send` returns at once and never throws. */
export interface EventSender {
  send(event: AgentEvent): void;
}

/** Reads the events of a channel, in the order in which they were sent. Each event is read once. */
export interface EventReceiver extends AsyncIterable<AgentEvent> {
  /** The next event; null when the channel is closed and all events are read. */
  recv(): Promise<AgentEvent | null>;
  /** The next event if there is one; else null. */
  tryRecv(): AgentEvent | null;
}

/** Both ends of a channel. */
export interface EventChannel {
  tx: EventSender & { close(): void };
  rx: EventReceiver;
}

/** Creates a channel. Close the sender when no further event follows, so that reading ends. */
export function channel(): EventChannel {
  let waiting: AgentEvent[] = [];
  // Read from the front by position: removing the first element of a long list takes time with its length.
  let at = 0;
  let isClosed = false;
  let readers: ((event: AgentEvent | null) => void)[] = [];
  const take = (): AgentEvent | null => {
    const next = waiting[at];
    if (next === undefined) return null;
    at += 1;
    if (at > 1000 && at * 2 > waiting.length) {
      waiting = waiting.slice(at);
      at = 0;
    }
    return next;
  };
  const recv = (): Promise<AgentEvent | null> => {
    const next = take();
    if (next !== null || isClosed) return Promise.resolve(next);
    return new Promise((resolve) => readers.push(resolve));
  };
  return {
    tx: {
      send(event) {
        if (isClosed) return;
        const reader = readers.shift();
        if (reader === undefined) waiting.push(event);
        else reader(event);
      },
      close() {
        isClosed = true;
        for (const reader of readers) reader(null);
        readers = [];
      },
    },
    rx: {
      recv,
      tryRecv: take,
      async *[Symbol.asyncIterator]() {
        for (;;) {
          const event = await recv();
          if (event === null) return;
          yield event;
        }
      },
    },
  };
}

/**
 * Starts work with a channel of its own, which is closed at the end of the work. Returns the events and a promise of the result. A caller
 * that reads only the events does not have to handle the promise: the iteration throws the same error.
 */
export function withEvents<T>(start: (tx: EventSender) => Promise<T>): EventReceiver & { readonly done: Promise<T> } {
  const { tx, rx } = channel();
  const done = start(tx).finally(() => tx.close());
  done.catch(() => undefined);
  return {
    ...rx,
    done,
    async *[Symbol.asyncIterator]() {
      yield* rx;
      await done;
    },
  };
}
