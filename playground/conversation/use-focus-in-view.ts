// The element that Tab has reached stays visible in a list whose rows are measured while it scrolls. A measured row corrects the position of
// the list, and the correction may undo the browser's own scrolling to the element.

import { useEffect, useLayoutEffect, useRef } from "react";
import type { RefObject } from "react";

/** Events that mean that the user scrolls away from the focused element. Keys other than Tab and Shift have the same effect. */
const leaving = ["wheel", "touchmove", "pointerdown"] as const;

/** Keeps the element with the keyboard's focus in the visible area of `place`, until the user scrolls. */
export function useFocusInView(place: RefObject<HTMLElement | null>): void {
  const kept = useRef<Element | null>(null);
  useEffect(() => {
    const list = place.current;
    if (list === null) return undefined;
    const leave = new AbortController();
    const options = { signal: leave.signal, passive: true };
    const forget = (): void => {
      kept.current = null;
    };
    for (const type of leaving) list.addEventListener(type, forget, options);
    list.addEventListener("focusout", forget, options);
    list.addEventListener("keydown", ({ key }) => (key === "Tab" || key === "Shift" ? undefined : forget()), options);
    list.addEventListener(
      "focusin",
      ({ target }) => {
        kept.current = target instanceof Element && target !== list && target.matches(":focus-visible") ? target : null;
      },
      options,
    );
    list.addEventListener("scroll", () => requestAnimationFrame(() => show(list, kept.current)), options);
    return () => leave.abort();
  }, [place]);
  useLayoutEffect(() => {
    if (place.current !== null) show(place.current, kept.current);
  });
}

function show(list: HTMLElement, element: Element | null): void {
  if (element === null || !list.contains(element)) return;
  const [{ top, bottom }, inner] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.bottom <= top || inner.top >= bottom) element.scrollIntoView({ block: "nearest" });
}
