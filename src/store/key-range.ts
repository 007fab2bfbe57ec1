// Bounds of a keyset read, both exclusive, so that one prepared query serves every window: an open end is a bound below or
// above all keys. Keys are printable ASCII without spaces and compare alike in SQLite and in JavaScript.

/** Below every key. */
export const firstKey = "";

/** Above every key. */
export const lastKey = "\u{10FFFF}";

/** The bound just above a key: excludes everything greater and lets the key itself in. */
export function justAbove(key: string): string {
  return `${key} `;
}
