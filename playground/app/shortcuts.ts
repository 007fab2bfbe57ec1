// Keyboard shortcuts of all pages. Keys without a modifier are ignored while the user types or chooses in a field.

import { createContext, useContext, useEffect, useRef } from "react";

/** What a key does. `mod` is the Command key on a Mac and Control elsewhere. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** True for components of a hidden page, which ignore shortcuts. */
export const ShortcutsOff = createContext(false);

/** Adds shortcuts while the component is mounted. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const off = useContext(ShortcutsOff);
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    if (off) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const mod = event.metaKey || event.ctrlKey;
      const key = event.key.toLowerCase();
      if (!mod && isBusy(event.target)) return;
      const run = latest.current[mod ? `mod+${key}` : key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [off]);
}

function isBusy(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest("input, textarea, select, [contenteditable], [role=dialog], [role=menu]") !== null;
}
