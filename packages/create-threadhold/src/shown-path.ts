// How paths of the user's disk are printed: no character of a path changes the terminal, and a printed command does what it shows.

/** Control characters, and characters that change the direction or the position of text. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text with every invisible character as its code. */
export function shownPath(text: string): string {
  return text.replace(unseen, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

/** A path as one argument of a shell. Returns undefined for a path with characters that a line of a shell cannot show. */
export function shellArgument(text: string): string | undefined {
  if (shownPath(text) !== text) return undefined;
  if (/^[\w./:@+=,][\w./:@+=,-]*$/.test(text)) return text;
  // The shells of Windows have no other quotes, and no file name there contains them.
  return process.platform === "win32" ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
