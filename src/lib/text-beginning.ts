// Cuts texts that people read. A character may consist of several UTF-16 units, such as an emoji of a family, a flag, or a letter with
// accents; half of it is another character or none.

/** How far beyond the limit a character is followed. The length of a character has no bound. */
const reach = 64;

let characters: Intl.Segmenter | undefined;

/** The beginning of a text with at most `most` UTF-16 units, which ends at the end of a character (a grapheme cluster). */
export function textBeginning(text: string, most: number): string {
  if (text.length <= most) return text;
  characters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const { index = most } = characters.segment(text.slice(0, most + reach)).containing(most) ?? {};
  // A single character that is longer than the limit is cut between code points.
  return text.slice(0, index === 0 ? most : index).toWellFormed();
}
