// Estimates the size of a compiled pattern, so that a short pattern that becomes large is refused before it is compiled.

/** One unit of a pattern: an escape with its braces, a class, a repetition, or a single character. */
const token = /\\[pPx]\{[^}]*\}|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/gu;

/**
 * The approximate number of instructions after counted repetitions are expanded, rather too high than too low. It is computed before the
 * pattern is compiled: a thousand characters can expand to a million instructions.
 */
export function unfoldedSize(pattern: string): number {
  /** Sizes before each open group, innermost last. */
  const open: number[] = [];
  let size = 0;
  /** Size of the last unit or group, which a repetition would repeat. */
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
