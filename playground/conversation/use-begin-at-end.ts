// A thread is read from its end: a list is brought there when it is first drawn, a frame at a time until it has arrived, since its
// rows are measured as they are drawn. Whoever scrolls meanwhile has decided otherwise.

import { useEffect, useRef } from "react";
import type { RefObject } from "react";

/** What is scrolled. */
export interface EndOfList {
  place: RefObject<HTMLElement | null>;
  /** There is something to scroll. */
  filled: boolean;
  isAtEnd: () => boolean;
  scrollToEnd: () => void;
}

/** Gives whether the list has arrived, or was scrolled by its reader; to be read in effects. */
export function useBeginAtEnd({ place, filled, isAtEnd, scrollToEnd }: EndOfList): RefObject<boolean> {
  const arrived = useRef(false);
  const latest = useRef({ isAtEnd, scrollToEnd });
  latest.current = { isAtEnd, scrollToEnd };
  useEffect(() => {
    const element = place.current;
    if (!filled || arrived.current || element === null) return undefined;
    const leave = new AbortController();
    const take = (): void => {
      arrived.current = true;
      leave.abort();
    };
    for (const type of ["wheel", "touchmove", "keydown", "pointerdown"] as const) {
      element.addEventListener(type, take, { signal: leave.signal, passive: true });
    }
    let frame = requestAnimationFrame(function look() {
      if (leave.signal.aborted) return;
      if (element.clientHeight > 0 && latest.current.isAtEnd()) return take();
      latest.current.scrollToEnd();
      frame = requestAnimationFrame(look);
    });
    return () => {
      cancelAnimationFrame(frame);
      leave.abort();
    };
  }, [place, filled]);
  return arrived;
}
