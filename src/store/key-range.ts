// Bounds of reads by key, both exclusive, so that one prepared query serves every page: an open end is a bound below or above all keys.
// Keys are printable ASCII without spaces, which SQLite and JavaScript compare in the same order.

/** Less than every key. */
export const firstKey = "";

/** Greater than every key. */
export const lastKey = "\u{10FFFF}";

/** The smallest bound above a key: it includes the key and excludes everything greater. */
export function justAbove(key: string): string {
  return `${key} `;
}
