// Defines which characters a person sees. Providers refuse texts without any of them, and each has another list of the characters that
// count as blank, so this list has the characters of all.

// Everything but white space, control characters, halves of surrogate pairs, and characters that leave no mark: zero-width and directional
// marks, variation selectors, fillers, the blank Braille pattern.
const visible = /[^\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** Whether a text has a visible character. */
export function isVisible(text: string): boolean {
  return visible.test(text);
}
