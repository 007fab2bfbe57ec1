// Cuts markdown into blocks that can be drawn apart, so that an answer that grows is parsed at its end alone. A cut is only made
// where what follows cannot belong to what came before: at a blank line, outside of code, before a line that begins at the margin
// and continues no list.

const fence = /^ {0,3}(`{3,}|~{3,})/;
const continues = /^(\s|[-*+] |[-*+]$|\d{1,9}[.)]( |$)|>)/;
const definition = /^ {0,3}\[[^\]\n]+\]:/m;

/** The blocks; joined they are the text. A text with references to links is one block, since they may stand anywhere. */
export function blocksOf(text: string): string[] {
  if (definition.test(text)) return [text];
  const lines = text.split("\n");
  const blocks: string[] = [];
  let begin = 0;
  let open: string | null = null;
  let blank = false;
  for (const [at, line] of lines.entries()) {
    const mark = fence.exec(line)?.[1];
    const margin = open === null && blank && at > begin && line.trim() !== "" && !continues.test(line);
    if (margin) {
      blocks.push(`${lines.slice(begin, at).join("\n")}\n`);
      begin = at;
    }
    if (mark !== undefined) {
      if (open === null) open = mark;
      else if (mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = null;
    }
    blank = line.trim() === "";
  }
  blocks.push(lines.slice(begin).join("\n"));
  return blocks;
}
