// The list of keyboard shortcuts of all pages. docs/guide/playground.md has the same list.

import type { ReactElement } from "react";

import { Dialog } from "../kit/dialog.tsx";
import { namedPages } from "./pages.ts";

import css from "./shell.module.css";

const keys: readonly [keys: readonly string[], does: string][] = [
  [["Ctrl K", "⌘ K"], "Commands: threads, agents and everything else by name"],
  [["?"], "This list"],
  [["N"], "New thread"],
  [["/"], "Search threads"],
  ...namedPages.flatMap(({ key, title, about }): typeof keys =>
    key === undefined ? [] : [[[key], about === undefined ? title : `${title}: ${about}`]],
  ),
  [["J", "K"], "Next thread, previous thread"],
  [["C"], "Write a message"],
  [["Enter", "Shift Enter"], "Send, new line"],
  [["Ctrl .", "⌘ ."], "Stop the run"],
  [["Ctrl F", "⌘ F"], "Search this conversation: Enter for the next older hit, Shift Enter for a newer one"],
  [["E"], "Show or hide events"],
  [["X"], "Show or hide the context: what the next request contains"],
  [["Page Up", "Page Down"], "Scroll the conversation, also while you write"],
  [["Esc", "Home", "End"], "Leave the text field; go to the first message, the last message"],
];

export function KeysDialog({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <dl className={css["keys"]}>
        {keys.map(([names, does]) => (
          <div key={does}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
