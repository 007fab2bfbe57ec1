// Light or dark, as the system has it unless the visitor chose. The choice is the one thing this page keeps for good.

import { createStore, useStore } from "../kit/create-store.ts";

/** What was chosen. */
export type Theme = "system" | "light" | "dark";

const place = "threadhold.theme";
const chosen = createStore<Theme>(read());

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
  const theme = chosen.get();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Chooses, for this browser. */
export function chooseTheme(theme: Theme): void {
  chosen.set(theme);
  try {
    localStorage.setItem(place, theme);
  } catch {
    // It holds until the page is left.
  }
  applyTheme();
}

/** The choice. */
export function useTheme(): Theme {
  return useStore(chosen);
}
