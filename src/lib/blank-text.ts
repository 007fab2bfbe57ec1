// Whether a text has a character that a reader sees.

const visible = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a text has no visible character: it is empty, or has only spaces, control characters and characters without a glyph. */
export function isBlankText(text: string): boolean {
  return !visible.test(text);
}
