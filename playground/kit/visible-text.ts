// Makes invisible characters of names visible, and characters that change the text direction: they are shown by their
// numbers, so that no name can look like another one.

/** A piece of a text. If `mark` is true, it is the number of an invisible character. */
export interface TextPiece {
  text: string;
  mark: boolean;
}

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\p{Cs}]/u;
const oddSpace = /(?! )\p{Zs}/u;
const pictured = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]/u;

/** The text in pieces; a text without such characters is one piece. */
export function piecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  const characters = Array.from(text);
  let before = "";
  for (const [at, character] of characters.entries()) {
    // Within an emoji these characters join its parts.
    const joins = (character === "\u200D" || character === "\uFE0F") && pictured.test(before);
    const atEdge = character === " " && (at === 0 || at === characters.length - 1);
    const mark = (unseen.test(character) && !joins) || oddSpace.test(character) || atEdge;
    const last = pieces.at(-1);
    if (mark) pieces.push({ text: numberOf(character), mark });
    else if (last === undefined || last.mark) pieces.push({ text: character, mark });
    else last.text += character;
    before = character;
  }
  return pieces;
}

/** The pieces as a single text, for labels: the numbers are in angle quotes. */
export function visibleText(text: string): string {
  return piecesOf(text)
    .map(({ text: piece, mark }) => (mark ? `‹${piece}›` : piece))
    .join("");
}

// The same characters as in the server's src/lib/visible-text.ts.
const visible = /[^\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** Whether a text has a visible character. The server refuses a message without one. */
export function isVisible(text: string): boolean {
  return visible.test(text);
}

function numberOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
