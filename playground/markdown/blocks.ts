// Divides markdown into blocks that can be rendered separately, so that for a growing answer only the last block is
// parsed again. It divides only where the following text cannot belong to the text before: at a blank line outside of
// code, before a line without indentation that does not continue a list.

const fence = /^ {0,3}(`{3,}|~{3,})/;
const continues = /^(\s|[-*+] |[-*+]$|\d{1,9}[.)]( |$)|>)/;
const definition = /^ {0,3}\[[^\]\n]+\]:/m;

/**
 * The blocks; joined they are the text. A text with definitions of link references is one block, because they may be
 * anywhere in it.
 */
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
