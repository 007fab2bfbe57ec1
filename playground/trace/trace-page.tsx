// The page of a thread's trace: one of its runs as bars over time, its figures, and the detail of the selected bar. Run
// and bar are kept in the address, so that going back finds them again.

import { useEffect, useMemo, useState } from "react";
import type { ReactElement } from "react";
import { addCost, addUsage, zeroUsage } from "threadhold/client";
import type { Usage } from "threadhold/client";
import { useThread, useThreadholdClient } from "threadhold/react";
import { Link, useSearch, useSearchParams } from "wouter";

import { usePageTitle } from "../app/page-title.ts";
import { ConnectionNote } from "../conversation/connection-note.tsx";
import { useStore } from "../kit/create-store.ts";
import { Icon } from "../kit/icon.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { listSearch } from "../threads/thread-filter.ts";
import { threadPath, useNameOf } from "../threads/thread-title.ts";
import { RunChooser } from "./run-chooser.tsx";
import { SummaryLine } from "./summary-line.tsx";
import { timeAxis } from "./time-axis.ts";
import { TraceDetail } from "./trace-detail.tsx";
import { TraceFeed } from "./trace-feed.ts";
import { nodesOf } from "./trace-node.ts";
import type { RunNode, TraceNode } from "./trace-node.ts";
import { traceRows } from "./trace-rows.ts";
import { summaryOf } from "./trace-summary.ts";
import { TraceTree } from "./trace-tree.tsx";
import { useRuns } from "./use-runs.ts";

import css from "./trace.module.css";

export function TracePage({ id }: { id: string }): ReactElement {
  const { thread, connection, handle } = useThread(id);
  const search = useSearch();
  const [params, setParams] = useSearchParams();
  const nameOf = useNameOf();
  const known = useRuns(handle);
  const title = thread === null ? "Thread" : nameOf(thread);
  useTitleGivenBack();
  usePageTitle(`Trace of ${title}`);
  const runId = params.get("run") ?? known.runs[0]?.id ?? null;
  const choose = (run: string): void => {
    setParams((before) => {
      const after = new URLSearchParams(before);
      after.set("run", run);
      after.delete("at");
      return after;
    });
  };
  return (
    <div className={css["page"]}>
      <header className={css["head"]}>
        <Link
          href={threadPath(id, listSearch(search))}
          className={css["back"] ?? ""}
          aria-label="Back to the conversation"
        >
          <Icon name="back" />
        </Link>
        <div className={css["names"]}>
          <p className={css["of"]}>Trace</p>
          <h1 className={css["title"]}>{title}</h1>
        </div>
        {runId === null ? null : <RunChooser known={known} chosen={runId} onChoose={choose} />}
      </header>
      <ConnectionNote connection={connection} />
      {runId !== null ? (
        <RunTrace key={runId} threadId={id} runId={runId} />
      ) : known.error !== null ? (
        <ErrorNote title="The runs could not be listed" error={known.error} onRetry={known.retry} />
      ) : known.loading ? (
        <LoadingNote what="the runs" />
      ) : (
        <EmptyNote title="Nothing has run yet">
          A trace shows the steps, model requests, tool calls and waits of a run on a time axis.{" "}
          <Link href={threadPath(id, listSearch(search))}>Send a message</Link> first.
        </EmptyNote>
      )}
    </div>
  );
}

function RunTrace({ threadId, runId }: { threadId: string; runId: string }): ReactElement {
  const client = useThreadholdClient();
  const feed = useMemo(() => new TraceFeed(client, threadId, runId), [client, threadId, runId]);
  useStore(feed);
  const snapshot = feed.root.get();
  const trace = feed.trace();
  if (trace === null) {
    return snapshot.error === null ? (
      <LoadingNote what="the run" />
    ) : (
      <ErrorNote title="The run cannot be shown" error={snapshot.error} onRetry={feed.root.retry} />
    );
  }
  return (
    <>
      {snapshot.error === null ? null : (
        <ErrorNote title="The trace is incomplete" error={snapshot.error} onRetry={feed.root.retry} />
      )}
      <Bars feed={feed} trace={trace} />
    </>
  );
}

function Bars({ feed, trace }: { feed: TraceFeed; trace: RunNode }): ReactElement {
  const client = useThreadholdClient();
  const [params, setParams] = useSearchParams();
  const chosen = params.get("at");
  const [active, setActive] = useState(chosen ?? trace.key);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const snapshot = feed.root.get();
  const now = useMoment(trace.end === null, snapshot.entries.at(-1)?.event.at ?? trace.start);
  const rows = traceRows(trace, turned, feed.childrenOf);
  const axis = useMemo(() => timeAxis(trace, now), [trace, now]);
  const node = chosen === null ? undefined : rows.find((row) => row.node.key === chosen)?.node;
  const show = (key: string | null): void => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        after.set("run", feed.runId);
        if (key === null) after.delete("at");
        else after.set("at", key);
        return after;
      },
      { replace: true },
    );
  };
  const turn = ({ key }: TraceNode): void => {
    const next = new Set(turned);
    if (!next.delete(key)) next.add(key);
    feed.forget(key);
    setTurned(next);
  };
  const close = (): void => {
    show(null);
    document.getElementById("trace-tree")?.focus();
  };
  return (
    <>
      <SummaryLine summary={summaryOf(trace, usedBy(feed, trace), now)} />
      <div className={css["split"]} data-open={node !== undefined}>
        <TraceTree
          rows={rows}
          axis={axis}
          now={now}
          active={active}
          chosen={node?.key ?? null}
          onActive={(key) => {
            setActive(key);
            if (chosen !== null) show(key);
          }}
          onChoose={(key) => {
            setActive(key);
            show(key);
          }}
          onClose={close}
          onTurn={turn}
        />
        {node === undefined ? null : (
          <TraceDetail
            node={node}
            siblings={rows.map((row) => row.node)}
            handle={client.thread(node.thread_id)}
            snapshot={feed.snapshotOf(node.run_id)}
            now={now}
            onClose={close}
          />
        )}
      </div>
    </>
  );
}

/** The run's usage as the server counts it; while the run is active, the sum of its attempts. */
function usedBy(feed: TraceFeed, trace: RunNode): { usage: Usage; cost: number | null } {
  const { run } = feed.root.get();
  if (run !== null && run.ended_at !== null) return run;
  let [usage, cost]: [Usage, number | null] = [zeroUsage, 0];
  for (const node of nodesOf(trace)) {
    if (node.kind !== "attempt" || node.usage === null) continue;
    usage = addUsage(usage, node.usage);
    cost = addCost(cost, node.cost);
  }
  return { usage, cost };
}

/** Restores the tab's title when the trace is closed, because the hidden conversation page set its title only once. */
function useTitleGivenBack(): void {
  useEffect(() => {
    const before = document.title;
    return () => {
      document.title = before;
    };
  }, []);
}

/** Milliseconds between two renderings of a running trace. */
const everyMs = 100;

/**
 * The current time in microseconds, at least `newest`. It is updated only while `going` is true, so that open bars
 * grow.
 */
function useMoment(going: boolean, newest: number): number {
  const [now, setNow] = useState(() => Date.now() * 1000);
  useEffect(() => {
    if (!going) return undefined;
    const tick = (): void => {
      if (!document.hidden) setNow(Date.now() * 1000);
    };
    tick();
    const timer = setInterval(tick, everyMs);
    return () => clearInterval(timer);
  }, [going]);
  return Math.max(now, newest);
}
