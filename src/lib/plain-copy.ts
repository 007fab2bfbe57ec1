// Copies plain data, and compares data with an earlier copy of it. A copy shares the texts of its original, so a comparison with unchanged
// texts takes the same time whatever their length.

/** A copy of objects, lists and other values that do not change. */
export function plainCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy) as T;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plainCopy(field as unknown)])) as T;
}

/** Whether a value is equal to a copy of its earlier state. */
export function isUnchanged(value: unknown, copy: unknown): boolean {
  if (value === copy) return true;
  if (typeof value !== "object" || typeof copy !== "object" || value === null || copy === null)
    return Object.is(value, copy);
  if (Array.isArray(value)) return Array.isArray(copy) && isSameList(value, copy);
  const [now, before] = [value as Record<string, unknown>, copy as Record<string, unknown>];
  const keys = Object.keys(now);
  if (Array.isArray(copy) || keys.length !== Object.keys(before).length) return false;
  // A loop without functions, because thousands of messages are compared before each loop of a long conversation.
  for (const key of keys) {
    const field = now[key];
    if (!isUnchanged(field, before[key]) || (field === undefined && !Object.hasOwn(before, key))) return false;
  }
  return true;
}

function isSameList(list: readonly unknown[], copy: readonly unknown[]): boolean {
  if (list.length !== copy.length) return false;
  for (let at = 0; at < list.length; at += 1) if (!isUnchanged(list[at], copy[at])) return false;
  return true;
}
