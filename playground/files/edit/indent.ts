// What the Tab key does to a text: it moves the lines of the selection in or out, or puts in spaces up to the next stop.

/** A change of a text: what is put in the place of which part, and what is selected then. */
export interface TextChange {
  from: number;
  to: number;
  insert: string;
  select: [number, number];
}

const width = 2;
const unit = " ".repeat(width);

/** The change; null where there is nothing to move out. */
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
