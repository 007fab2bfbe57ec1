// The detail of a bar: its figures, and according to its kind its request and response, its arguments and result, or
// what it waits for; and its events as they were sent.

import { useEffect, useRef } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";
import { Link } from "wouter";

import { useAnswerLabel } from "../agents/answer-schema.ts";
import { FileChanges } from "../conversation/file-changes.tsx";
import { JsonView } from "../conversation/json-view.tsx";
import { IconButton } from "../kit/button.tsx";
import { duration } from "../kit/duration.ts";
import { clock } from "../kit/figures.ts";
import { PlanSteps } from "../kit/plan-steps.tsx";
import { threadPath } from "../threads/thread-title.ts";
import { AttemptDetail } from "./attempt-detail.tsx";
import { lengthOf, stateText } from "./node-label.ts";
import type { RunSnapshot } from "./run-feed.ts";
import { StepEvents } from "./step-events.tsx";
import { Facts } from "./trace-facts.tsx";
import type { StepPlace, ToolNode, TraceNode } from "./trace-node.ts";
import { tracePath } from "./trace-path.ts";

import css from "./trace-detail.module.css";

interface TraceDetailProps {
  node: TraceNode;
  /** The other nodes of the trace, to find what followed a failure. */
  siblings: readonly TraceNode[];
  handle: ThreadHandle;
  snapshot: RunSnapshot;
  now: number;
  onClose: () => void;
}

export function TraceDetail({ node, siblings, handle, snapshot, now, onClose }: TraceDetailProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In braces, because in newer browsers the call returns a promise, which an effect must not return.
    place.current?.scrollTo(0, 0);
  }, [node.key]);
  return (
    <section className={css["detail"]} aria-label={`Detail of ${node.name}`}>
      <header className={css["head"]}>
        <div className={css["names"]}>
          <h2 className={css["title"]}>{node.name}</h2>
          <p className={css["state"]} data-state={node.state}>
            {stateText(node)} · {node.kind === "note" ? clock(node.start) : duration(lengthOf(node, now))}
          </p>
        </div>
        <IconButton icon="close" label="Close the detail" onClick={onClose} />
      </header>
      {/* A scrollable element has to be reachable by keyboard. */}
      <div ref={place} className={css["body"]} tabIndex={0} role="group" aria-label="Details">
        <Body node={node} siblings={siblings} handle={handle} snapshot={snapshot} />
      </div>
    </section>
  );
}

type BodyProps = Pick<TraceDetailProps, "node" | "siblings" | "handle" | "snapshot">;

function Body({ node, siblings, handle, snapshot }: BodyProps): ReactElement {
  const events = (at: StepPlace, message?: string | null): ReactElement => (
    <StepEvents entries={snapshot.entries} place={at} message={message ?? null} threadId={handle.id} />
  );
  switch (node.kind) {
    case "attempt":
      return (
        <>
          <AttemptDetail key={node.key} node={node} siblings={siblings} handle={handle} snapshot={snapshot} />
          {events(node.place)}
        </>
      );
    case "tool":
    case "prompt":
    case "child":
      return (
        <>
          <ToolDetail node={node} />
          {events(node.place, node.message_id)}
        </>
      );
    case "step":
      return (
        <>
          <Facts facts={[["Started", clock(node.start)]]} />
          {node.reasoning === null ? null : <p className={css["words"]}>{node.reasoning}</p>}
          {node.plan === null ? null : <PlanSteps steps={node.plan} label="Plan" />}
          {events(node.place)}
        </>
      );
    case "wait":
      return <p className={css["words"]}>{waitWords[node.waits_for]}</p>;
    case "note":
      return (
        <>
          {node.aside === null ? null : (
            <p className={node.state === "failed" ? css["wrong"] : css["words"]}>{node.aside}</p>
          )}
          {node.data === null ? null : <JsonView label="Log entry" value={node.data} />}
        </>
      );
    case "run":
      return <RunDetail snapshot={snapshot} threadId={node.thread_id} />;
  }
}

const waitWords = {
  approval: "The call waits until a person approves it. A waiting run uses no memory and no tokens.",
  remote: "The call waits for a result from a client.",
  limit: "The run reached one of its limits and waits until the limit is raised.",
  question: "A call of a child thread waits for a person's answer to its question.",
  "back-off": "The delay before the next attempt. It grows with each failure and has a random part.",
} as const;

function RunDetail({ snapshot: { run }, threadId }: { snapshot: RunSnapshot; threadId: string }): ReactElement | null {
  const label = useAnswerLabel(threadId, run?.data ?? null);
  if (run === null) return null;
  const { id, kind, models, steps, version, reason, error, started_at, first_seq } = run;
  return (
    <>
      {error === null ? null : (
        <p className={css["wrong"]}>
          The run failed with <code>{error.code}</code>: {error.message}
        </p>
      )}
      <Facts
        facts={[
          ["Run", id],
          ["Started by", kind === "message" ? "a message" : kind === "continue" ? "continue" : "a call"],
          ["Started", started_at === null ? "not yet" : clock(started_at)],
          ["Steps", String(steps)],
          ["Models", models.join(", ")],
          ["Ended with", reason ?? "–"],
          ["First event", first_seq === null ? "–" : String(first_seq)],
          ["Deployment", version ?? "–"],
        ]}
      />
      {run.data === undefined ? null : <JsonView label={label} value={run.data} />}
    </>
  );
}

function ToolDetail({ node }: { node: ToolNode }): ReactElement {
  const { result, stack, output, progress, args, child_thread_id, call_id, duration_ms, remote } = node;
  return (
    <>
      {result?.status === "error" ? <p className={css["wrong"]}>{result.error ?? "The call failed."}</p> : null}
      {remote ? <p className={css["words"]}>A client answers this call. Its duration counts as waiting.</p> : null}
      {child_thread_id === null ? null : (
        <p className={css["words"]}>
          Another agent ran in <Link href={threadPath(child_thread_id)}>a child thread</Link>. See{" "}
          <Link href={tracePath(child_thread_id)}>its trace</Link>.
        </p>
      )}
      <Facts
        facts={[
          ["Call", call_id],
          ["Duration", duration_ms === null ? "running" : duration(duration_ms)],
        ]}
      />
      {result?.status === "error" ? null : (
        <FileChanges tool={node.name} args={args} stored={result?.status === "success"} />
      )}
      <JsonView label="Arguments" value={args} />
      {progress === null ? null : <JsonView label="Progress" value={progress} />}
      {output === "" ? null : <JsonView label="Output" value={output} />}
      {result?.result === undefined ? null : <JsonView label="Result" value={result.result} />}
      {result?.details === undefined ? null : <JsonView label="Details" value={result.details} />}
      {stack === null ? null : <JsonView label="Stack" value={stack} />}
    </>
  );
}
