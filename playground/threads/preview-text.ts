// The last message of a thread as one line of the list, without markdown syntax.

/** The number of characters that a line can show. */
const most = 160;

/** The text of a message as one line. */
export function previewText(message: string): string {
  return message
    .slice(0, 4 * most)
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, " ")
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|[-*+>]|\d{1,9}[.)])[ \t]+/gm, "")
    .replace(/(\*\*|__|~~|`)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*?\S)\*(?![\w*])/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, most);
}
