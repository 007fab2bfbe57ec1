// Estimates what a pattern is once its counted repetitions are unfolded, so that one that is too large is never compiled: a
// thousand characters can stand for a million instructions.

/** One place of a pattern that counts by itself: an escape with its braces, a class, a group's end, a repetition, a character. */
const token = /\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/gu;

/** Instructions, roughly, and rather too many than too few. */
export function unfoldedSize(pattern: string): number {
  /** Sizes of the groups that are open, innermost last. */
  const open: number[] = [];
  let size = 0;
  /** Of what a repetition would repeat: the last atom or group. */
  let last = 0;
  for (const [text, least, most] of pattern.matchAll(token)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0));
      size += last * (times - 1);
      last *= times;
    } else if (text === "(") {
      open.push(size);
      size = 2;
      last = 0;
    } else if (text === ")") {
      last = size;
      size += open.pop() ?? 0;
    } else {
      last = 1;
      size += 1;
    }
  }
  return open.reduce((sum, group) => sum + group, size);
}
