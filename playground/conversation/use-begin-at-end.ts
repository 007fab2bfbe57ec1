// Scrolls a list to its end when it is first rendered. Rows are measured when they are rendered, so this takes several
// frames. It stops when the user scrolls.

import { useEffect, useRef } from "react";
import type { RefObject } from "react";

/** The list to scroll. */
export interface EndOfList {
  place: RefObject<HTMLElement | null>;
  /** The list has rows. */
  filled: boolean;
  isAtEnd: () => boolean;
  scrollToEnd: () => void;
}

/** Returns a reference that is true once the list is at its end, or the user has scrolled; to be read in effects. */
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
