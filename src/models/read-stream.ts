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

/**
 * Yields the values of a stream. The stream is cancelled if the reader stops early, on an abort and on an error. Cancelling ends a pending
 * read, so one listener on the signal is enough, and the values need no race with it.
 */
export async function* readStream<T>(stream: ReadableStream<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted();
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
