// Reads pages that are bounded by size as well as by number of rows: an RPC result has at most 32 MiB, and an object has 128 MB of memory.
// Rows are read a few at a time, so that rows beyond the bounds are not in memory.

/** The number of rows that one query reads. */
const batch = 25;

/** The maximum number of UTF-16 units of a page's JSON. A message contains its text twice, as `content` and as `parts`. */
export const pageBytes = 6 * 1024 * 1024;

/** The rows that were read, and whether there are more. */
export interface BoundedRows<T> {
  rows: T[];
  more: boolean;
}

/**
 * Reads at most `limit` rows and `bytes` UTF-16 units of their JSON, but at least one row if there is one. `read` returns the rows after a
 * key, in order; `keyOf` returns the key of a row.
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
