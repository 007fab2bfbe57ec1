// Limits the time of one operation of a tool. The limit of the call itself ends the call with a general error.

/** Runs work with a signal that also fires after `ms`. Resolves to `timeout` if the limit ended the work; rejects if the call is cancelled. */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | "timeout"> {
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cancel = () => {};
  const ended = new Promise<"timeout">((resolve, reject) => {
    cancel = () => {
      end.abort(signal.reason);
      reject(signal.reason as Error);
    };
    timer = setTimeout(() => {
      resolve("timeout");
      end.abort();
    }, ms);
  });
  signal.addEventListener("abort", cancel, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([ended, work(end.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}
