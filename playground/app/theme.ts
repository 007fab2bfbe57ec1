// Light or dark, as the system has it unless the visitor chose. The choice is the one thing this page keeps for good.

import { useSyncExternalStore } from "react";

/** What was chosen. */
export type Theme = "system" | "light" | "dark";

const place = "threadhold.theme";
const listeners = new Set<() => void>();
let chosen: Theme = read();

function read(): Theme {
  try {
    const kept = localStorage.getItem(place);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

/** Puts the choice onto the page. */
export function applyTheme(): void {
  if (chosen === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = chosen;
}

/** Chooses, for this browser. */
export function chooseTheme(theme: Theme): void {
  chosen = theme;
  try {
    localStorage.setItem(place, theme);
  } catch {
    // It holds until the page is left.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

/** The choice. */
export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => chosen,
  );
}
