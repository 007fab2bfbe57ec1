// The link to the inbox in the bar, with the number of threads that wait. The tab's title has the number too.

import type { ReactElement } from "react";
import { Link } from "wouter";

import { useTitleCount } from "../app/page-title.ts";
import { Icon } from "../kit/icon.tsx";
import { mostCounted, useWaitingCount } from "./waiting-list.ts";

import css from "../app/shell.module.css";

export function InboxLink({ open }: { open: boolean }): ReactElement {
  const { length, hasMore } = useWaitingCount();
  const count = length < mostCounted ? `${length}${hasMore ? "+" : ""}` : `${mostCounted - 1}+`;
  useTitleCount(length === 0 ? "" : count);
  return (
    <Link href="/inbox" className={css["place"] ?? ""} aria-current={open ? "page" : undefined}>
      <span className={css["inbox"]}>
        <Icon name="inbox" />
      </span>
      <span className={css["inboxWord"]}>Inbox</span>
      {length === 0 ? null : (
        <>
          {" "}
          <span className={css["waiting"]}>{count}</span>
          <span className="visually-hidden"> {length === 1 ? "thread waits" : "threads wait"}</span>
        </>
      )}
    </Link>
  );
}
