// The keyboard of the tree, following ARIA's tree pattern: up and down move by a row, right opens or enters a folder,
// left closes or leaves it, Home and End move to the ends, and letters move to the next name that starts with them.

import type { TreeRow } from "./tree-rows.ts";

/** The effect of a key. */
export type TreeMove =
  | { type: "go"; to: number }
  | { type: "open"; path: string }
  | { type: "close"; path: string }
  | { type: "choose" };

/** The effect of a key that is not a letter; null if the tree does not use the key. */
export function moveOf(rows: readonly TreeRow[], at: number, key: string): TreeMove | null {
  const row = rows[at];
  switch (key) {
    case "ArrowDown":
      return { type: "go", to: Math.min(at + 1, rows.length - 1) };
    case "ArrowUp":
      return { type: "go", to: Math.max(at - 1, 0) };
    case "Home":
      return { type: "go", to: 0 };
    case "End":
      return { type: "go", to: rows.length - 1 };
    case "ArrowRight":
      if (row?.kind !== "entry" || row.open === null) return { type: "go", to: at };
      return row.open ? { type: "go", to: Math.min(at + 1, rows.length - 1) } : { type: "open", path: row.record.path };
    case "ArrowLeft":
      if (row?.kind === "entry" && row.open === true) return { type: "close", path: row.record.path };
      return { type: "go", to: parentRow(rows, at) };
    case "Enter":
    case " ":
      return { type: "choose" };
    default:
      return null;
  }
}

/**
 * The row that typed letters lead to. One letter, pressed again, moves from name to name; several letters stay on a
 * name that they match.
 */
export function typedRow(rows: readonly TreeRow[], at: number, typed: string): number | null {
  const letters = typed.toLowerCase();
  const same = Array.from(letters).every((letter) => letter === letters[0]);
  const wanted = same ? (letters[0] ?? "") : letters;
  const from = same ? at + 1 : at;
  for (let step = 0; step < rows.length; step += 1) {
    const index = (from + step) % rows.length;
    const row = rows[index];
    if (row?.kind === "entry" && row.record.name.toLowerCase().startsWith(wanted)) return index;
  }
  return null;
}

function parentRow(rows: readonly TreeRow[], at: number): number {
  const level = rows[at]?.level ?? 1;
  for (let above = at - 1; above >= 0; above -= 1) if ((rows[above]?.level ?? 0) < level) return above;
  return at;
}
