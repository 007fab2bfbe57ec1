// The way to the thread in which another agent works on a call.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { threadPath } from "../threads/thread-title.ts";

import css from "./tool-call.module.css";

/** A link to it. */
export function ChildThread({ id }: { id: string }): ReactElement {
  return (
    <p className={css["fact"]}>
      Another agent works on this in <Link href={threadPath(id)}>a thread of its own</Link>.
    </p>
  );
}
