// Pages bounded by bytes as well as by number: an answer crosses an RPC border of 32 MiB, and an object has 128 MB for
// everything. Rows are read a few at a time, so that a page of large ones is never in memory as a whole.

/** Rows that are read at once. */
const batch = 25;

/** UTF-16 units of JSON a page may take. A message travels twice, as `content` and as `parts`. */
export const pageBytes = 6 * 1024 * 1024;

/** What was read, and whether more is there. */
export interface BoundedRows<T> {
  rows: T[];
  more: boolean;
}

/**
 * Reads up to `limit` rows and `bytes` of them, at least one. `read` gives the rows beyond a key, in order; `keyOf` is what
 * they are ordered by.
 */
export function boundedRows<T>(
  read: (beyond: string | undefined, limit: number) => T[],
  keyOf: (row: T) => string,
  { limit, bytes, beyond }: { limit: number; bytes: number; beyond: string | undefined },
): BoundedRows<T> {
  const rows: T[] = [];
  let size = 0;
  let from = beyond;
  for (;;) {
    const asked = Math.min(batch, limit - rows.length + 1);
    const next = read(from, asked);
    for (const row of next) {
      if (rows.length === limit) return { rows, more: true };
      size += JSON.stringify(row).length;
      if (size > bytes && rows.length > 0) return { rows, more: true };
      rows.push(row);
      from = keyOf(row);
    }
    if (next.length < asked) return { rows, more: false };
  }
}
