// Web Locks that the tabs of a browser share: one selects the tab that notifies, and the others mark what visible tabs show. The browser
// releases the locks of a tab that is closed.

/** Holds a lock until the returned function is called. `onHeld` is called once it is held. */
export function holdLock(name: string, mode: LockMode, onHeld: () => void = () => undefined): () => void {
  const leave = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  navigator.locks
    .request(name, { mode, signal: leave.signal }, () => {
      onHeld();
      return promise;
    })
    .catch((error: unknown) => {
      if (!leave.signal.aborted) throw error;
    });
  return () => {
    leave.abort();
    resolve();
  };
}

/** Whether any tab holds one of these locks. */
export async function isHeld(names: readonly string[]): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name !== undefined && names.includes(name));
}
