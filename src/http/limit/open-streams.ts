// How many streams a caller holds open through this isolate. A stream is given back when it ends, however it ends.

/** Counts open streams per key. */
export interface OpenStreams {
  /** Gives the function that gives the stream back (calling it again does nothing), or null when there are too many. */
  open(key: string): (() => void) | null;
}

/** Allows `limit` at a time for each key. */
export function createOpenStreams(limit: number): OpenStreams {
  const counts = new Map<string, number>();
  return {
    open(key) {
      const count = counts.get(key) ?? 0;
      if (count >= limit) return null;
      counts.set(key, count + 1);
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
  };
}
