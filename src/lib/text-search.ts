// Finds a text in others without regard to case, and cuts out where it was found. Linear in the text: plain text only, no pattern.

/** UTF-16 units of an excerpt before and after what was found. */
const before = 60;
const after = 120;

/** Where a text was found. */
export interface TextHit {
  /** Part of the text, with `…` where it was cut. */
  excerpt: string;
  /** Place in the excerpt, in UTF-16 units. */
  start: number;
  length: number;
}

/** A search for one text: gives its first place in another, or null. */
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
  // Halves of characters that the text itself has are replaced, one unit by one, so that the excerpt is text everywhere.
  return { excerpt: `${lead}${text.slice(from, to).toWellFormed()}${tail}`, start: lead.length + at - from, length };
}

/** The place, or the one after it where it is in the middle of a character. */
function boundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  const previous = text.charCodeAt(at - 1);
  return isLow && previous >= 0xd800 && previous <= 0xdbff ? at + 1 : at;
}

/** Lower case of the same length, so that places in it are places in the text. Both forms of a small sigma are one. */
function foldCase(text: string): string {
  const lowered = text.toLowerCase();
  return (lowered.length === text.length ? lowered : loweredByCharacter(text)).replaceAll("ς", "σ");
}

/** `İ` becomes two units in lower case: it stays as it is. */
function loweredByCharacter(text: string): string {
  return text.replace(/[^]/gu, (character) => {
    const lowered = character.toLowerCase();
    return lowered.length === character.length ? lowered : character;
  });
}
