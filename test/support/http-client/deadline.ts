// Waits with a limit: a wait of a test ends after a time, with a sentence that names what did not happen.

/**
 * Milliseconds that a test waits for what has to happen. Only a failing test waits as long. The limit is high, because the processors may
 * be busy with other tests, and below the time limit of a test, so that the error of the wait names what did not happen.
 */
export const timeoutMs = 100_000;

/** Returns the promise's value. Rejects with `what` if it does not settle within this many milliseconds. */
export async function within<T>(
  milliseconds: number,
  what: string | (() => string),
  promise: PromiseLike<T>,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const text = typeof what === "string" ? what : what();
      reject(new Error(`Nothing after ${String(milliseconds)} ms: ${text}`));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
