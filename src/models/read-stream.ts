// Reads a stream until it ends, its reader leaves or a signal aborts. Invariant: an aborted signal ends the wait at once, even
// if the server never answers and the stream ignores the signal.

/** Waits for a promise or the abort of a signal, which throws the signal's reason. */
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
 * The values of a stream. Leaving early, an abort and an error all cancel it. A stream that is cancelled ends every read that
 * waits, so an abort needs one listener in all, and no race for each value.
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
