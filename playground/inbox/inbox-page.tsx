// The inbox: every call that waits for a person, over all threads, the longest wait first. The feed of threads keeps it current, and each
// call is answered here with the forms of the conversation.

import { useRef, useState } from "react";
import type { ReactElement } from "react";
import { useThreads } from "threadhold/react";

import { usePageTitle } from "../app/page-title.ts";
import { Button } from "../kit/button.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useHidden } from "../threads/deletions.tsx";
import { endOfList, Unsearched } from "../threads/list-end.tsx";
import { InboxFilters, useInboxFilter } from "./inbox-filters.tsx";
import { NotificationSwitch } from "./notify/notification-switch.tsx";
import { OutcomeNote } from "./outcome-note.tsx";
import type { Outcome } from "./outcome-note.tsx";
import { useKeptFocus } from "./use-kept-focus.ts";
import { waitingThreads } from "./waiting-call.ts";
import { WaitingThreadItem } from "./waiting-thread.tsx";

import css from "./inbox.module.css";

/** The maximum length of the API's list. When a thread is removed from the list, the next one is added. */
const mostThreads = 200;

/** Threads whose forms are drawn at first, and with each click. */
const pageLength = 20;

export function InboxPage(): ReactElement {
  usePageTitle("Inbox");
  const [filter, setFilter] = useInboxFilter();
  const [length, setLength] = useState(pageLength);
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  /** Calls whose answers were sent: their outcome is known when the response arrives. */
  const sent = useRef(new Set<string>());
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const list = useThreads({
    waiting: true,
    order: "oldest",
    limit: mostThreads,
    ...(filter.agent === "" ? {} : { agent_id: filter.agent }),
  });
  const { threads, loading, error, refresh, loadMore } = list;
  const hidden = useHidden();
  const entries = waitingThreads(
    threads.filter(({ id }) => !hidden.has(id)),
    // An answered call is hidden at once, because the list follows its thread after a moment.
    ({ call, key }) => !answered.has(key) && (filter.kind === "" || filter.kind === call.kind),
  );
  const shown = entries.slice(0, length);
  const calls = entries.reduce((sum, entry) => sum + entry.calls.length, 0);
  const end = endOfList(list, { limit: mostThreads, shown: entries.length });
  const filtered = filter.agent !== "" || filter.kind !== "";
  const focus = useKeptFocus(
    shown.flatMap((entry) => entry.calls.map(({ key }) => key)),
    (key) => {
      if (!sent.current.has(key)) setOutcome({ type: "gone" });
    },
  );
  const settle = (next: Outcome, key: string): void => {
    setOutcome(next);
    if (next.type === "answered") setAnswered((before) => new Set([...before, key]));
    else refresh();
  };
  return (
    <div className={css["page"]}>
      <div className={css["column"]}>
        <header className={css["head"]}>
          <div>
            <h1 className={css["title"]} tabIndex={-1} ref={focus.heading}>
              Inbox
            </h1>
            <p className={css["lead"]}>
              {loading ? "What waits for you in all threads" : summary(calls, entries.length)}
            </p>
          </div>
          <NotificationSwitch />
        </header>
        <InboxFilters filter={filter} onChange={setFilter} />
        <OutcomeNote outcome={outcome} onDismiss={() => setOutcome(null)} />
        {error === null ? null : <ErrorNote title="The inbox may be out of date" error={error} onRetry={refresh} />}
        {loading ? <LoadingNote what="what waits" /> : null}
        {end === "empty" || (end === "full" && entries.length === 0) ? (
          <Nothing filtered={filtered} onClear={() => setFilter({ agent: "", kind: "" })} />
        ) : null}
        <ol className={css["threads"]} ref={focus.list} onFocus={focus.onFocus} onBlur={focus.onBlur}>
          {shown.map((entry) => (
            <WaitingThreadItem
              key={entry.thread.id}
              entry={entry}
              onSent={(key) => sent.current.add(key)}
              onFailed={(key) => sent.current.delete(key)}
              onSettled={settle}
            />
          ))}
        </ol>
        {entries.length > shown.length ? (
          <div className={css["more"]}>
            <Button onClick={() => setLength(length + pageLength)}>
              Show {Math.min(pageLength, entries.length - shown.length)} more
            </Button>
          </div>
        ) : null}
        {end === "unsearched" && shown.length === entries.length ? (
          <Unsearched found={entries.length > 0} onMore={loadMore} />
        ) : null}
        {threads.length === mostThreads && shown.length === entries.length ? (
          <p className={css["more"]}>
            These are of the {mostThreads} threads without activity for the longest time. Answer some, and the next ones
            appear.
          </p>
        ) : null}
      </div>
    </div>
  );
}

function summary(calls: number, threads: number): string {
  if (calls === 0) return "What waits for you in all threads";
  return `${calls} ${calls === 1 ? "call waits" : "calls wait"} in ${threads} ${threads === 1 ? "thread" : "threads"}`;
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }): ReactElement {
  return filtered ? (
    <div className={css["nothing"]}>
      <EmptyNote title="Nothing of this kind waits">Other calls may wait.</EmptyNote>
      <Button small onClick={onClear}>
        Show everything
      </Button>
    </div>
  ) : (
    <EmptyNote title="Nothing waits for you">
      A call appears here when a tool needs your approval or your result, when a run reaches a limit that you can raise,
      and when a tool asks you a question. It disappears when it is answered, here or elsewhere.
    </EmptyNote>
  );
}
