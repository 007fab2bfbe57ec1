// Bounded waiting: whatever a test waits for has an end and a sentence that says what did not come.

/** The promise's value; rejects with `what` if it has not come after so many milliseconds. */
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
