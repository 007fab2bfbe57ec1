// The current time for texts such as "12 s ago": one clock for the page, which ticks every few seconds while such a
// text is shown.

import { createStore, useStore } from "./create-store.ts";

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
