// Limits the time of one operation of a tool. The limit of the call itself ends the call with a general error.

/** Runs work with a signal that also fires after `ms`. Resolves to `timeout` if the limit ended the work; rejects if the call is cancelled. */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | "timeout"> {
  const end = new AbortController();
  const ended = Promise.withResolvers<"timeout">();
  const cancel = () => {
    end.abort(signal.reason);
    ended.reject(signal.reason as Error);
  };
  const timer = setTimeout(() => {
    ended.resolve("timeout");
    end.abort();
  }, ms);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([ended.promise, work(end.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}
