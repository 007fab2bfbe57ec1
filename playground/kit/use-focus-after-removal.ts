// Moves the focus when the part of the page that has it is removed, so that the keyboard and screen readers do not begin at the page's start.

import { useLayoutEffect, useRef } from "react";
import type { RefObject } from "react";

/**
 * When the element is removed while it, or a menu that it opened, has the focus, the focus moves to the element that `next` returns.
 * `next` is called before the removal.
 */
export function useFocusAfterRemoval(
  place: RefObject<HTMLElement | null>,
  next: (removed: HTMLElement) => HTMLElement | null | undefined,
): void {
  const latest = useRef(next);
  latest.current = next;
  useLayoutEffect(() => {
    const element = place.current;
    return () => {
      if (element === null || !hasFocus(element)) return;
      const heir = latest.current(element);
      // After the removal. If something else has the focus then, the user or a dialog chose it.
      queueMicrotask(() => {
        if (document.activeElement === null || document.activeElement === document.body) heir?.focus();
      });
    };
  }, [place]);
}

function hasFocus(element: HTMLElement): boolean {
  const focused = document.activeElement;
  if (focused === null) return false;
  if (element.contains(focused)) return true;
  // A menu is drawn at the end of the document, and names the button that opened it.
  const opener = focused.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return opener != null && element.contains(document.getElementById(opener));
}
