// Compares lists of thousands of elements without reading the elements.

/** Whether a list begins with the same elements as another one. */
export function beginsWith<T>(list: readonly T[], beginning: readonly T[]): boolean {
  if (beginning.length > list.length) return false;
  for (let at = 0; at < beginning.length; at += 1) if (list[at] !== beginning[at]) return false;
  return true;
}
