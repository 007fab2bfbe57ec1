// The present, as texts like "12 s ago" need it: one clock for the page, which ticks every few seconds while somebody looks.

import { useSyncExternalStore } from "react";

const everyMs = 5000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (document.hidden) return;
    now = Date.now();
    for (const one of listeners) one();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since epoch, as of the last tick. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
