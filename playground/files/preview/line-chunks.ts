// A long text in pieces of so many lines, so that a browser lays out what is in sight, and a text that grows draws its end alone.

/** Lines that stand together. */
export interface LineChunk {
  text: string;
  /** The number of its first line, from 1. */
  first: number;
  lines: number;
}

/** The pieces; joined they are the text. A line feed at the end begins no line. */
export function lineChunks(text: string, size: number): LineChunk[] {
  const chunks: LineChunk[] = [];
  let begin = 0;
  let first = 1;
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines < size) continue;
    chunks.push({ text: text.slice(begin, at + 1), first, lines });
    [begin, first, lines] = [at + 1, first + lines, 0];
  }
  const rest = text.slice(begin);
  if (rest !== "" || chunks.length === 0) {
    chunks.push({ text: rest, first, lines: Math.max(1, lines + (rest.endsWith("\n") || rest === "" ? 0 : 1)) });
  }
  return chunks;
}
