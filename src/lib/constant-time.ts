// Comparing secrets without telling, by the time it takes, how much of them was right.

/** Whether two byte strings are equal. Time depends on the length of `expected` only. */
export function equalInConstantTime(expected: Uint8Array, given: Uint8Array): boolean {
  let difference = expected.length ^ given.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= (expected[index] ?? 0) ^ (given[index] ?? 0);
  }
  return difference === 0;
}
