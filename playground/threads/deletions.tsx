// Provides the page's delayed deletions to its components, and shows the notes in which they can be undone.

import { createContext, useContext, useEffect, useMemo, useState } from "react";
import type { ReactElement, ReactNode } from "react";

import { browserTimers } from "../kit/browser-timers.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { useStore } from "../kit/create-store.ts";
import { HeldDeletions } from "./held-deletions.ts";
import type { HeldDeletion } from "./held-deletions.ts";

import css from "./deletions.module.css";

const Context = createContext<HeldDeletions | null>(null);

/** Provides the deletions to its children, and shows their notes. */
export function DeletionsProvider({ children }: { children: ReactNode }): ReactElement {
  const [deletions] = useState(() => new HeldDeletions(browserTimers));
  useEffect(() => {
    const leave = (): void => deletions.leave();
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [deletions]);
  return (
    <Context.Provider value={deletions}>
      {children}
      <Notes deletions={deletions} />
    </Context.Provider>
  );
}

export function useDeletions(): HeldDeletions {
  const deletions = useContext(Context);
  if (deletions === null) throw new Error("This needs a DeletionsProvider above it.");
  return deletions;
}

/** Ids of hidden threads and other items that are being deleted. */
export function useHidden(): ReadonlySet<string> {
  const deletions = useDeletions();
  const all = useStore(deletions);
  return useMemo(() => new Set(all.filter(({ state }) => state !== "failed").map(({ id }) => id)), [all]);
}

function Notes({ deletions }: { deletions: HeldDeletions }): ReactElement {
  const all = useStore(deletions);
  return (
    <div className={css["notes"]} role="status" aria-label="Deletions">
      {all.map((deletion) =>
        deletion.state === "sent" || deletion.state === "done" ? null : (
          <Note key={deletion.id} {...{ deletion, deletions }} />
        ),
      )}
    </div>
  );
}

function Note({ deletion, deletions }: { deletion: HeldDeletion; deletions: HeldDeletions }): ReactElement {
  const { id, title, state, error } = deletion;
  if (state === "failed") {
    return (
      <div className={css["failed"]}>
        <span>
          “{title}” was not deleted: {error?.message}
        </span>
        <IconButton icon="close" label="Dismiss" onClick={() => deletions.forget(id)} />
      </div>
    );
  }
  return (
    <div className={css["note"]}>
      <span className={css["words"]}>Deleted “{title}”</span>
      <Button small onClick={() => deletions.undo(id)}>
        Undo
      </Button>
      <span className={css["rest"]} aria-hidden="true" />
    </div>
  );
}
