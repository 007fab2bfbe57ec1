// Limits the time of one operation of a tool. The limit of the call itself ends the call with a general error.

/** Runs work with a signal that also fires after `ms`. Resolves to `timeout` if the limit ended the work. */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | "timeout"> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } catch (thrown) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return "timeout";
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}
