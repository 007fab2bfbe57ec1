// Draws formulas with KaTeX. It builds elements itself, so nothing is parsed as HTML, and without trust it makes no links and no
// pictures. A formula is drawn only if what came of it is made of elements that formulas need.

import katex from "katex";

import "katex/dist/katex.min.css";

/** Definitions could make a short text grow without end. */
const defines = /\\(?:[egx]?def|(?:re)?newcommand|providecommand|(?:future)?let|global|long)(?![A-Za-z])/;

const elements = new Set(
  (
    "span svg path line math semantics annotation mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup " +
    "munder mover munderover mtable mtr mtd mlabeledtr mpadded mphantom menclose mstyle mglyph"
  ).split(" "),
);

/** Draws a formula; false, and nothing drawn, where it cannot be. */
export function drawFormula(tex: string, display: boolean, into: HTMLElement): boolean {
  into.replaceChildren();
  if (defines.test(tex)) return false;
  const drawn = document.createElement("span");
  try {
    katex.render(tex, drawn, {
      displayMode: display,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: 200,
      maxSize: 20,
    });
  } catch {
    return false;
  }
  for (const element of drawn.querySelectorAll("*")) if (!elements.has(element.localName)) return false;
  into.replaceChildren(drawn);
  return true;
}
