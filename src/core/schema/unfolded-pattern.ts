// Estimates the work of compiling a pattern, so that a short pattern that takes much work is refused before it is compiled.

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

/** Parts of a pattern that stand for many ranges of characters: categories, the sets of letters, digits and spaces, and named classes. */
const setOfRanges = /\\[pP]|\\[wWsSdD]|\[:/g;
/** The work of each of them, in instructions that are compiled in the same time. */
const setSizes: Record<string, number> = { "\\p": 25, "\\P": 25, "[:": 13 };
const shortSetSize = 4;

/** A range with an end outside of ASCII or with a number. If case is ignored, the cases of all its characters are looked up. */
const wideRange = /(?:[^\0-\x7f]|\\x\{?[0-9a-fA-F]+\}?)-|-(?:[^\0-\x7f]|\\x)/gu;
const wideRangeSize = 150;
const ignoresCase = /\(\?[a-zA-Z]*i/;

/** The approximate number of instructions that take as much time to compile as the classes of a pattern. A class itself is one instruction. */
export function classSize(pattern: string): number {
  let size = 0;
  for (const [text] of pattern.matchAll(setOfRanges)) size += setSizes[text] ?? shortSetSize;
  if (ignoresCase.test(pattern)) size += wideRangeSize * (pattern.match(wideRange)?.length ?? 0);
  return size;
}
