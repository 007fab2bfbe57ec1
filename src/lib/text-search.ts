// Finds a text in other texts, ignoring case, and cuts an excerpt around it. Takes linear time, because the text is not a pattern.

/** UTF-16 units of the excerpt before and after the found text. */
const before = 60;
const after = 120;

/** A found text. */
export interface TextHit {
  /** A part of the searched text, with `…` at each end that is cut. */
  excerpt: string;
  /** The position of the found text in the excerpt, in UTF-16 units. */
  start: number;
  length: number;
}

/** Creates a search for one text, which returns the first match or null. */
export function textFinder(wanted: string): (text: string) => TextHit | null {
  const needle = foldCase(wanted);
  return (text) => {
    const at = foldCase(text).indexOf(needle);
    return at === -1 ? null : hitAt(text, at, needle.length);
  };
}

function hitAt(text: string, at: number, length: number): TextHit {
  const from = boundary(text, Math.max(0, at - before));
  const to = boundary(text, Math.min(text.length, at + length + after));
  const lead = from > 0 ? "…" : "";
  const tail = to < text.length ? "…" : "";
  // Lone surrogates of the text are replaced one by one, so that the excerpt is valid Unicode.
  return { excerpt: `${lead}${text.slice(from, to).toWellFormed()}${tail}`, start: lead.length + at - from, length };
}

/** The position, or the next one if it is in the middle of a character. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  const previous = text.charCodeAt(at - 1);
  return isLow && previous >= 0xd800 && previous <= 0xdbff ? at + 1 : at;
}

/** The text in lower case with the same length, so that positions match. Both forms of a small sigma become one. */
function foldCase(text: string): string {
  const lowered = text.toLowerCase();
  return (lowered.length === text.length ? lowered : loweredByCharacter(text)).replaceAll("ς", "σ");
}

/** Lowers character by character. `İ` stays unchanged, since its lower case has two units. */
function loweredByCharacter(text: string): string {
  return text.replace(/[^]/gu, (character) => {
    const lowered = character.toLowerCase();
    return lowered.length === character.length ? lowered : character;
  });
}
