// Reads a stream until it ends, its reader stops or a signal aborts. Invariant: an aborted signal ends the wait at once, even if the server
// never answers and the stream ignores the signal.

/** Waits for a promise. If the signal aborts first, throws the signal's reason. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // A rejection after an abort is expected and has no other handler.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}

/** Reads the values of a stream. */
export interface Reading<T> {
  /** The next value; null at the end. Throws the signal's reason after an abort. */
  read: () => Promise<T | null>;
  /** Ends the reading. Has to be called once, also at the end of the stream. */
  close: () => void;
}

/**
 * The reading of a stream, each value in a list. The stream is cancelled on an abort and on `close`. Cancelling ends a pending read, so one listener on the
 * signal is enough, and no read needs a race with the signal.
 */
export class StreamReading<T> implements Reading<readonly [T]> {
  readonly #reader: ReadableStreamDefaultReader<T>;
  readonly #signal: AbortSignal;
  readonly #cancel = (): void => void this.#reader.cancel().catch(() => undefined);

  /** Throws the signal's reason if it is aborted. */
  constructor(stream: ReadableStream<T>, signal: AbortSignal) {
    signal.throwIfAborted();
    this.#reader = stream.getReader();
    this.#signal = signal;
    signal.addEventListener("abort", this.#cancel, { once: true });
  }

  async read(): Promise<readonly [T] | null> {
    const read = await this.#reader.read();
    this.#signal.throwIfAborted();
    return read.done ? null : [read.value];
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#cancel);
    this.#cancel();
  }
}
