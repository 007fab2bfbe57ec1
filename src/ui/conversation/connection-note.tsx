// How the subscription stands, where it does not stand well. What is shown stays; what came meanwhile is told when it is back.

import type { ReactElement } from "react";

import type { Connection } from "#client/index.ts";

import css from "./conversation.module.css";

/** Nothing while it is live. */
export function ConnectionNote({ connection }: { connection: Connection }): ReactElement | null {
  const words = wordsFor(connection);
  if (words === null) return null;
  return (
    <p className={css["connection"]} role="status" data-state={connection.state}>
      {words}
    </p>
  );
}

function wordsFor(connection: Connection): string | null {
  switch (connection.state) {
    case "offline":
      return "Offline. What you see stays; it catches up when the network is back.";
    case "waiting":
      return `The connection was lost and is tried again. ${connection.error.message}`;
    case "closed":
      return connection.error === null ? null : `This thread is not followed any more: ${connection.error.message}`;
    case "connecting":
    case "live":
      return null;
  }
}
