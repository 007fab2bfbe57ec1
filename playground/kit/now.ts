// The current time for texts such as "12 s ago": one clock for the page, which ticks every few seconds while such a
// text is shown.

import { useSyncExternalStore } from "react";

import { createStore, useStore } from "./create-store.ts";
import { ago } from "./figures.ts";

const everyMs = 5000;
const store = createStore(Date.now(), () => {
  const timer = setInterval(() => {
    if (!document.hidden) store.set(Date.now());
  }, everyMs);
  return () => clearInterval(timer);
});

/** Milliseconds since epoch, as of the last tick. */
export function useNow(): number {
  return useStore(store);
}

/** The time since a moment, such as `12 s`. The component is drawn again when this text changes, not at each tick. */
export function useAgo(microseconds: number): string {
  return useSyncExternalStore(store.subscribe, () => ago(microseconds, store.get()));
}
