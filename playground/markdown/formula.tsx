// A formula. Its renderer is loaded with the first formula. The source is shown until then, and if the formula cannot
// be drawn.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ReactElement } from "react";

import type { FormulaSource } from "./formulas.ts";

import css from "./markdown.module.css";

type Draw = (tex: string, display: boolean, into: HTMLElement) => boolean;

let loaded: Draw | null = null;

export function Formula({ tex, display, source }: FormulaSource): ReactElement {
  const place = useRef<HTMLSpanElement>(null);
  const [draw, setDraw] = useState(() => loaded);
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    if (draw !== null) return undefined;
    let left = false;
    import("./draw-formula.ts").then(
      ({ drawFormula }) => {
        loaded = drawFormula;
        if (!left) setDraw(() => drawFormula);
      },
      // Without the renderer the source is shown in full.
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [draw]);
  useLayoutEffect(() => {
    if (draw !== null && place.current !== null) setDrawn(draw(tex, display, place.current));
  }, [draw, tex, display]);
  const scrolls = drawn && display;
  return (
    // A scrollable element has to be reachable by keyboard.
    <span
      className={css["formula"]}
      data-display={display}
      {...(scrolls ? { tabIndex: 0, role: "group", "aria-label": "Formula" } : {})}
    >
      <span ref={place} hidden={!drawn} />
      {drawn ? null : <code>{source}</code>}
    </span>
  );
}
