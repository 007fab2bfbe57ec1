// Compares secrets in a time that does not reveal how many of their bytes are equal.

/** Whether two byte strings are equal. The time depends on the length of `expected` only. */
export function equalInConstantTime(expected: Uint8Array, given: Uint8Array): boolean {
  let difference = expected.length ^ given.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= (expected[index] ?? 0) ^ (given[index] ?? 0);
  }
  return difference === 0;
}
