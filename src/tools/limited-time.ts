// Limits the time of one operation of a tool, so that the tool can return an error of its own. The time limit of the call would end the
// call with a general error.

/**
 * Runs `work` with a signal that is also aborted after `ms` milliseconds. Resolves to `timeout` if the time limit is reached. Rejects if
 * `signal` is aborted.
 */
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
