// Notes in place of content that is missing, loading or failed. Each states what to do next.

import type { ReactElement, ReactNode } from "react";

import { Button } from "./button.tsx";
import { isNetworkError, useReported } from "./outage.ts";
import { Sweep } from "./sweep.tsx";

import css from "./note.module.css";

interface EmptyNoteProps {
  title: string;
  /** The note is the whole page, and its title is the page's. */
  page?: boolean;
  children?: ReactNode;
}

/** A note that there is nothing, and why. */
export function EmptyNote({ title, page = false, children }: EmptyNoteProps): ReactElement {
  const Heading = page ? "h1" : "h2";
  return (
    <div className={css["note"]}>
      <Heading className={css["title"]}>{title}</Heading>
      <div className={css["text"]}>{children}</div>
    </div>
  );
}

/** A note that something is being loaded. With `page` it is the whole page, and its text is the page's heading. */
export function LoadingNote({ what, page = false }: { what: string; page?: boolean }): ReactElement {
  const Text = page ? "h1" : "span";
  return (
    <div className={css["loading"]} role="status">
      <Sweep />
      <Text className={css["what"]}>Loading {what}</Text>
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
  /** The note is the whole page, and its title is the page's. */
  page?: boolean;
}

/** A note about a failure, with the server's message. A failed read is repeated after an outage. */
export function ErrorNote({
  title,
  error,
  onRetry,
  action = false,
  page = false,
}: ErrorNoteProps): ReactElement | null {
  const passing = onRetry !== undefined && !action && isNetworkError(error) ? error : null;
  const reported = useReported(passing, () => onRetry?.());
  if (reported) return null;
  const Title = page ? "h1" : "strong";
  return (
    <div className={css["error"]} role="alert">
      <Title className={css["failure"]}>{title}</Title>
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
