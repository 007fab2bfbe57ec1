// Notes in place of content that is missing, loading or failed. Each states what to do next.

import type { ReactElement, ReactNode } from "react";

import { Button } from "./button.tsx";
import { isNetworkError, useReported } from "./outage.ts";
import { Sweep } from "./sweep.tsx";

import css from "./note.module.css";

/** A note that there is nothing, and why. */
export function EmptyNote({ title, children }: { title: string; children?: ReactNode }): ReactElement {
  return (
    <div className={css["note"]}>
      <h2 className={css["title"]}>{title}</h2>
      <div className={css["text"]}>{children}</div>
    </div>
  );
}

export function LoadingNote({ what }: { what: string }): ReactElement {
  return (
    <div className={css["loading"]} role="status">
      <Sweep />
      Loading {what}
    </div>
  );
}

interface ErrorNoteProps {
  /** The action that failed. */
  title: string;
  error: unknown;
  onRetry?: (() => void) | undefined;
  /** The user started the failed action. Its note is shown during an outage too, and only the user repeats the action. */
  action?: boolean;
}

/** A note about a failure, with the server's message. A failed read is repeated after an outage. */
export function ErrorNote({ title, error, onRetry, action = false }: ErrorNoteProps): ReactElement | null {
  const passing = onRetry !== undefined && !action && isNetworkError(error) ? error : null;
  const reported = useReported(passing, () => onRetry?.());
  if (reported) return null;
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

/** The message of an error. For a request without a response the message ends with the address, which is removed for the page. */
export function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return isNetworkError(error) ? message.replace(/: [A-Z]+ https?:\S+$/, ".") : message;
}
