// Draws formulas with KaTeX. KaTeX builds elements, so no HTML is parsed, and without its option `trust` it creates no
// links and no images. A formula is drawn only if the result consists of elements that formulas need.

import katex from "katex";

import "katex/dist/katex.min.css";

/** Macro definitions could make a short text grow without limit. */
const defines = /\\(?:[egx]?def|(?:re)?newcommand|providecommand|(?:future)?let|global|long)(?![A-Za-z])/;

const elements = new Set(
  (
    "span svg path line math semantics annotation mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup " +
    "munder mover munderover mtable mtr mtd mlabeledtr mpadded mphantom menclose mstyle mglyph"
  ).split(" "),
);

/** Draws a formula into an element. Returns false, and draws nothing, if that is not possible. */
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
