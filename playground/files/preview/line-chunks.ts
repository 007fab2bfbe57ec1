// Divides a long text into pieces of a number of lines, so that the browser lays out only visible pieces, and a growing
// text renders only its last piece again.

/** Consecutive lines. */
export interface LineChunk {
  text: string;
  /** The number of its first line, from 1. */
  first: number;
  lines: number;
}

/** The pieces; joined they are the text. A line feed at the end does not start another line. */
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
