// Home and End in a list that is only partly loaded. The browser's own handling would go to the edges of the rendered
// rows, which are not those of the conversation. Home loads all earlier messages, until the user does something else.

import { useEffect, useState } from "react";
import type { KeyboardEvent, RefObject } from "react";

export interface KeyedList {
  place: RefObject<HTMLElement | null>;
  /** There are older messages that are not loaded. */
  hasMore: boolean;
  loading: boolean;
  failed: boolean;
  more: (long: boolean) => void;
  scrollToStart: () => void;
  scrollToEnd: () => void;
}

/** Handles the keys; returns whether the list is on its way to the beginning. */
export function useListKeys(list: KeyedList): { seeking: boolean; press: (event: KeyboardEvent) => void } {
  const { place, hasMore, loading, failed, more, scrollToStart, scrollToEnd } = list;
  const [seeking, setSeeking] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!seeking || element === null) return undefined;
    const leave = new AbortController();
    for (const type of ["wheel", "touchmove", "pointerdown"] as const) {
      element.addEventListener(type, () => setSeeking(false), { signal: leave.signal, passive: true });
    }
    return () => leave.abort();
  }, [place, seeking]);
  useEffect(() => {
    if (!seeking || loading) return;
    if (hasMore && !failed) return more(true);
    setSeeking(false);
    scrollToStart();
  }, [seeking, loading, hasMore, failed, more, scrollToStart]);
  const press = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey || event.shiftKey) return;
    setSeeking(event.key === "Home");
    if (event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    if (event.key === "End") scrollToEnd();
  };
  return { seeking, press };
}
