// Whether the page is wide enough for a graph that can be read. Below that its list says the same.

import { useSyncExternalStore } from "react";

const wide = matchMedia("(min-width: 60rem)");

function subscribe(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}

/** It is. */
export function useWidePage(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}
