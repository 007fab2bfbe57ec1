// The time until a call ends without an answer. In the last minutes it counts seconds.

import type { ReactElement } from "react";

import { dayAndTime, iso } from "../kit/figures.ts";
import { useNow } from "../kit/now.ts";
import { useSecond } from "../kit/use-second.ts";

interface TimeLeftProps {
  /** Microseconds since epoch. */
  deadline: number;
  className: string | undefined;
}

const minute = 60_000;

/** The remaining time, such as `2 h left`, `14 min left` or `45 s left`. */
export function TimeLeft({ deadline, className }: TimeLeftProps): ReactElement {
  const left = deadline / 1000 - useNow();
  return (
    <time className={className} dateTime={iso(deadline)} title={`Ends without an answer: ${dayAndTime(deadline)}`}>
      {left < 2 * minute ? <SecondsLeft deadline={deadline} /> : longLeft(left)}
    </time>
  );
}

function SecondsLeft({ deadline }: { deadline: number }): string {
  const seconds = Math.ceil((deadline / 1000 - useSecond()) / 1000);
  // The server ends the call by its own clock, and the call then disappears.
  return seconds > 0 ? `${seconds} s left` : "time is up";
}

function longLeft(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / minute);
  return minutes < 120 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h left`;
}
