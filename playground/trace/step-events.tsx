// The events of a step, or of one call in it, as they were sent.

import { useMemo, useState } from "react";
import type { ReactElement } from "react";
import type { ThreadEvent } from "threadhold/client";
import { Link } from "wouter";

import type { TapeEntry } from "../events/event-tape.ts";
import { Button } from "../kit/button.tsx";
import type { StepPlace } from "./trace-node.ts";
import { eventPath } from "./trace-path.ts";

import css from "./trace-detail.module.css";

const first = 50;

interface StepEventsProps {
  entries: readonly TapeEntry[];
  place: StepPlace;
  /** The message whose events are shown; null for all events of the step. */
  message: string | null;
  threadId: string;
}

export function StepEvents({ entries, place, message, threadId }: StepEventsProps): ReactElement {
  const [whole, setWhole] = useState(false);
  const { under, step } = place;
  const own = useMemo(
    () =>
      entries.filter(({ event }) =>
        message === null
          ? event.step === step && (event.parent_id ?? null) === under
          : event.message_id === message || event.parent_id === message,
      ),
    [entries, under, step, message],
  );
  const shown = whole ? own : own.slice(0, first);
  return (
    <details className={css["part"]}>
      <summary>Events ({own.length})</summary>
      <ol className={css["events"]}>
        {shown.map(({ key, event, count }) => (
          <li key={key}>
            <OneEvent event={event} merged={count > 1 || event.from_seq !== undefined} threadId={threadId} />
          </li>
        ))}
      </ol>
      {shown.length === own.length ? null : (
        <Button small kind="quiet" onClick={() => setWhole(true)}>
          Show all {own.length} events
        </Button>
      )}
    </details>
  );
}

interface OneEventProps {
  event: ThreadEvent;
  merged: boolean;
  threadId: string;
}

/** Formatted only once it is opened, because events may contain long messages. */
function OneEvent({ event, merged, threadId }: OneEventProps): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <details className={css["event"]} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={css["seq"]}>{event.seq}</span>
        {event.type}
        {merged ? <span className={css["merged"]}>merged</span> : null}
      </summary>
      {open ? (
        <>
          {/* A scrollable element has to be reachable by keyboard. */}
          <pre tabIndex={0} aria-label={`Event ${event.seq}`}>
            {JSON.stringify(event, null, 2)}
          </pre>
          <Link href={eventPath(threadId, event.seq)}>In the event log</Link>
        </>
      ) : null}
    </details>
  );
}
