// Shows the state of a thread's subscription if it is not live although the server can be reached. The page's frame shows an outage of
// the server.

import { useEffect, useRef, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import type { Connection } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { Button } from "../kit/button.tsx";
import { wordsOf } from "../kit/note.tsx";
import { useReach } from "../kit/outage.ts";
import { useSecond } from "../kit/use-second.ts";

import css from "./conversation.module.css";

/** The note; renders nothing while the subscription is live. */
export function ConnectionNote({ connection }: { connection: Connection }): ReactElement | null {
  const { state } = connection;
  const isBroken = state === "waiting" || (state === "connecting" && connection.attempt > 0);
  if (isBroken || state === "offline") return <Broken connection={connection} />;
  if (state !== "closed" || connection.error === null) return null;
  return <Note state={state}>This thread is not updated any more: {wordsOf(connection.error)}</Note>;
}

/** Not shown before the server was checked: if it does not answer, the page's frame shows an outage. */
function Broken({ connection }: { connection: Connection }): ReactElement | null {
  const { lost, checkedAt, check } = useReach();
  const client = useThreadholdClient();
  const [since] = useState(Date.now);
  useEffect(() => check(), [check]);
  if (lost || checkedAt < since) return null;
  return (
    <Note state="waiting">
      <span>The connection to this thread was lost.</span> <Countdown connection={connection} />{" "}
      <Button small disabled={connection.state !== "waiting"} onClick={() => client.reconnect()}>
        Try now
      </Button>
    </Note>
  );
}

function Countdown({ connection }: { connection: Connection }): ReactElement {
  const now = useSecond();
  const begun = useRef({ connection, at: now });
  if (begun.current.connection !== connection) begun.current = { connection, at: Date.now() };
  const seconds =
    connection.state === "waiting" ? Math.max(1, Math.ceil((begun.current.at + connection.delayMs - now) / 1000)) : 0;
  // Screen readers skip the text, because it changes every second.
  return <span aria-hidden="true">{seconds === 0 ? "Trying…" : `Next try in ${seconds} s.`}</span>;
}

function Note({ state, children }: { state: Connection["state"]; children: ReactNode }): ReactElement {
  return (
    <div className={css["connection"]} role="status" data-state={state}>
      {children}
    </div>
  );
}
