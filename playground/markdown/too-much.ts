// What is not drawn as markdown, since reading it would hold the page up: time grows with the square of what stands in one block,
// and with how deep its quotes and lists are nested. Models, tools and people decide what comes, so there has to be an end.

/** Characters of a text, and of a block outside of its code. */
const mostText = 200_000;
const mostProse = 12_000;

const fence = /^ {0,3}(`{3,}|~{3,})/;
const html = /^ {0,3}</m;
const deep = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){40}/m;

/** Whether a text as a whole stays as it was written. */
export function isLongText(text: string): boolean {
  return text.length > mostText;
}

/** Whether a block stays as it was written. */
export function isHardBlock(block: string): boolean {
  if (deep.test(block)) return true;
  return block.length > mostProse && (html.test(block) ? block.length : proseOf(block)) > mostProse;
}

/** Characters outside of blocks of code, which cost next to nothing. */
function proseOf(block: string): number {
  let count = 0;
  let open: string | null = null;
  for (const line of block.split("\n")) {
    const mark = fence.exec(line)?.[1];
    if (open === null) count += line.length + 1;
    if (mark === undefined) continue;
    if (open === null) open = mark;
    else if (mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = null;
  }
  return count;
}
