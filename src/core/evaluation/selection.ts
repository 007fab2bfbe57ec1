// Selects one of several results by numbers: their tokens, or the number in a judge's reply. Of equal results the first is selected
// (decision 36: ties go to the first). Every function is pure.

/** The position of the smallest number; -1 without numbers. */
export function smallest(numbers: readonly number[]): number {
  return numbers.indexOf(Math.min(...numbers));
}

/** The position of the largest number; -1 without numbers. */
export function largest(numbers: readonly number[]): number {
  return numbers.indexOf(Math.max(...numbers));
}

/**
 * The position that a reply names: its first whole number from 1 to `count`, less 1. Null if the reply has none. Numbers with a fraction, and
 * digits of a longer number, are none.
 */
export function namedPosition(reply: string, count: number): number | null {
  for (const [number] of reply.matchAll(/\d+(?:[.,]\d+)*/g)) {
    if (!/^\d+$/.test(number)) continue;
    const position = Number(number);
    if (position >= 1 && position <= count) return position - 1;
  }
  return null;
}
