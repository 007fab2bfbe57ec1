// The number of threads that wait, after the link to the inbox in the bar. The tab's title has the number too.

import type { ReactElement } from "react";

import { useTitleCount } from "../app/page-title.ts";
import { mostCounted, useWaitingCount } from "./waiting-list.ts";

import css from "../app/shell.module.css";

export function InboxCount(): ReactElement | null {
  const { length, hasMore } = useWaitingCount();
  const count = length < mostCounted ? `${length}${hasMore ? "+" : ""}` : `${mostCounted - 1}+`;
  useTitleCount(length === 0 ? "" : count);
  if (length === 0) return null;
  return (
    <>
      {" "}
      <span className={css["waiting"]}>{count}</span>
      <span className="visually-hidden"> {length === 1 ? "thread waits" : "threads wait"}</span>
    </>
  );
}
