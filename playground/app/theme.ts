// The light or dark theme: the system's, unless the visitor chose one. This choice and the one of
// notifications are all that the playground stores permanently.

import { createStore, useStore } from "../kit/create-store.ts";

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

/** Applies the choice to the page. */
export function applyTheme(): void {
  const theme = chosen.get();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Stores a choice for this browser. */
export function chooseTheme(theme: Theme): void {
  chosen.set(theme);
  try {
    localStorage.setItem(place, theme);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  applyTheme();
}

export function useTheme(): Theme {
  return useStore(chosen);
}
