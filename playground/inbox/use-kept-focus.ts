// Keeps the focus in the inbox: when the call that has the focus is removed from the list, the focus moves to the next call, without one to
// the last call, or to the heading if the list is empty.

import { useLayoutEffect, useRef } from "react";
import type { FocusEvent, RefObject } from "react";

/** The elements that the page connects. */
export interface KeptFocus {
  heading: RefObject<HTMLHeadingElement | null>;
  list: RefObject<HTMLOListElement | null>;
  onFocus: (event: FocusEvent) => void;
  onBlur: (event: FocusEvent) => void;
}

/** `onLost` is called with the key of a call that was removed while it had the focus. */
export function useKeptFocus(keys: readonly string[], onLost: (key: string) => void): KeptFocus {
  const heading = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<string | null>(null);
  const before = useRef(keys);
  const lost = useRef(onLost);
  lost.current = onLost;
  const all = keys.join("\n");
  useLayoutEffect(() => {
    const [known, now] = [before.current, all === "" ? [] : all.split("\n")];
    before.current = now;
    const key = focused.current;
    if (key === null || now.includes(key)) return;
    focused.current = null;
    lost.current(key);
    // After a focused control was disabled or removed, the document has the focus. If another element has it, the user chose that element.
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    const next = known.slice(known.indexOf(key) + 1).find((other) => now.includes(other)) ?? now.at(-1);
    const items = [...(list.current?.querySelectorAll<HTMLElement>("[data-waiting]") ?? [])];
    (items.find(({ dataset }) => dataset["waiting"] === next) ?? heading.current)?.focus();
  }, [all]);
  return {
    heading,
    list,
    onFocus: ({ target }) => {
      focused.current = target.closest<HTMLElement>("[data-waiting]")?.dataset["waiting"] ?? null;
    },
    onBlur: ({ relatedTarget }) => {
      // Without a next element the focused one may have been disabled by its own answer.
      if (relatedTarget !== null) focused.current = null;
    },
  };
}
