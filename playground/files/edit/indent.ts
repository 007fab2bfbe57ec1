// What the Tab key does in a text: it indents or outdents the lines of the selection, or inserts spaces up to the next
// tab stop.

/** A change of a text: the replaced part, its replacement, and the new selection. */
export interface TextChange {
  from: number;
  to: number;
  insert: string;
  select: [number, number];
}

const width = 2;
const unit = " ".repeat(width);

/** The change; null if there is nothing to outdent. */
export function indent(text: string, [from, to]: [number, number], out: boolean): TextChange | null {
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  if (!out && !text.slice(from, to).includes("\n")) {
    const insert = " ".repeat(width - ((from - lineStart) % width));
    return { from, to, insert, select: [from + insert.length, from + insert.length] };
  }
  const whole = text.slice(lineStart, to);
  const lines = whole.split("\n");
  const moved = lines.map((line) => (out ? line.replace(/^(\t| {1,2})/, "") : line === "" ? line : unit + line));
  const insert = moved.join("\n");
  if (insert === whole) return null;
  const first = (moved[0]?.length ?? 0) - (lines[0]?.length ?? 0);
  return { from: lineStart, to, insert, select: [Math.max(lineStart, from + first), lineStart + insert.length] };
}
