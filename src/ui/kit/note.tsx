// What stands where there is nothing else: emptiness, waiting, failure. Each says what to do next.

import type { ReactElement, ReactNode } from "react";

import { Button } from "./button.tsx";
import { Sweep } from "./sweep.tsx";

import css from "./note.module.css";

/** Nothing is here, and why. */
export function EmptyNote({ title, children }: { title: string; children?: ReactNode }): ReactElement {
  return (
    <div className={css["note"]}>
      <h2 className={css["title"]}>{title}</h2>
      <div className={css["text"]}>{children}</div>
    </div>
  );
}

/** Something is on its way. */
export function LoadingNote({ what }: { what: string }): ReactElement {
  return (
    <div className={css["loading"]} role="status">
      <Sweep />
      Loading {what}
    </div>
  );
}

interface ErrorNoteProps {
  /** What could not be done. */
  title: string;
  error: unknown;
  onRetry?: (() => void) | undefined;
}

/** Something failed. The server's own words say what to mend. */
export function ErrorNote({ title, error, onRetry }: ErrorNoteProps): ReactElement {
  return (
    <div className={css["error"]} role="alert">
      <strong>{title}</strong>
      <p>{wordsOf(error)}</p>
      {onRetry === undefined ? null : (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** What an error says. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
