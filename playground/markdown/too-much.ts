// Limits what is rendered as markdown, because parsing time grows with the square of a block's length and with the
// depth of its quotes and lists. The text comes from models, tools and people, so it may be of any size.

/** The limits of characters of a text, and of a block without its code. */
const mostText = 200_000;
const mostProse = 12_000;

const fence = /^ {0,3}(`{3,}|~{3,})/;
const html = /^ {0,3}</m;
const deep = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){40}/m;

/** Whether a text is too long and is shown unrendered. */
export function isLongText(text: string): boolean {
  return text.length > mostText;
}

/** Whether a block is too long or too deep and is shown unrendered. */
export function isHardBlock(block: string): boolean {
  if (deep.test(block)) return true;
  return block.length > mostProse && (html.test(block) ? block.length : proseOf(block)) > mostProse;
}

/** The number of characters outside of code blocks, which are cheap to parse. */
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
