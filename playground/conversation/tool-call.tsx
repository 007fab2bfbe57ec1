// A tool call: its arguments, its progress and its result. It is collapsed once it has ended; a failure is visible
// while it is collapsed.

import { memo, use, useCallback, useMemo, useState } from "react";
import type { ReactElement } from "react";
import type { Json, MessageView, ThreadHandle, ThreadView } from "threadhold/client";
import { useThread, useThreadState } from "threadhold/react";
import { Link } from "wouter";

import { definitionPath } from "../agents/definition.ts";
import { CopyButton } from "../markdown/code-block.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { Attachment } from "./attachment.tsx";
import { ChildThread } from "./child-thread.tsx";
import { ShortenedMessages } from "./context/shortened-messages.ts";
import { Executions } from "./executions.tsx";
import { FileChanges } from "./file-changes.tsx";
import { JsonView } from "./json-view.tsx";
import { NestedRowsContext } from "./nested-rows-context.ts";
import type { MessageRow } from "./rows.ts";
import { useChildThread } from "./use-child-thread.ts";
import { ExecutionsContext, executionsOf } from "./use-executions.ts";

import css from "./tool-call.module.css";

interface ToolCallProps {
  handle: ThreadHandle;
  call: { id: string; name: string; arguments: Json; invalid?: true | undefined };
  /** The call's tool message, once it exists. */
  result: MessageView | null;
  /** The messages under the call. */
  lines: readonly MessageRow[];
  /** Its arguments are still being written. */
  writing: boolean;
}

export const ToolCall = memo(function ToolCall({ handle, call, result, lines, writing }: ToolCallProps): ReactElement {
  const select = useCallback((state: ThreadView) => state.tools[call.id] ?? null, [call.id]);
  const live = useThreadState(handle.id, select);
  const pending = useThread(handle.id).pending.some(({ id }) => id === call.id);
  const settled = result?.result ?? live?.result ?? null;
  const unsettled = pending || live?.running !== true ? "waiting" : "running";
  const state = writing ? "writing" : settled === null ? unsettled : settled.status;
  const approval = result?.approval;
  const files = settled?.attachments ?? [];
  const marked = use(ShortenedMessages);
  const shortened = result !== null && marked.has(result.id);
  const child = useChildThread({ handle, call, liveThreadId: live?.child_thread_id ?? null });
  const Rows = use(NestedRowsContext);
  const executions = executionsOf(use(ExecutionsContext).get(call.id), result);
  // Open while the call is running, unless the user has opened or closed it.
  const [chosen, setChosen] = useState<boolean | null>(null);
  const open = chosen ?? state === "running";
  return (
    <>
      <details
        className={css["call"]}
        data-state={state}
        data-call={call.id}
        open={open}
        onToggle={({ currentTarget }) => {
          // The event fires for every change, also those made by the page.
          if (currentTarget.open !== open) setChosen(currentTarget.open);
        }}
      >
        <summary className={css["summary"]}>
          <span className={css["mark"]} aria-hidden="true" />
          <code className={css["name"]}>{call.name}</code>
          <span className={css["brief"]}>{briefOf(approval?.args ?? call.arguments)}</span>
          {lines.length > 0 || child !== null ? (
            <span className={css["inside"]}>{child === null ? `${lines.length} messages` : "a thread"}</span>
          ) : null}
          {shortened ? <span className={css["inside"]}>result sent shortened</span> : null}
          <span className={css["state"]}>{stateText[state]}</span>
        </summary>
        <div className={css["detail"]}>
          <Link
            href={`${definitionPath({ kind: "tool", name: call.name })}?thread=${handle.id}`}
            className={css["label"] ?? ""}
          >
            Open definition
          </Link>
          {state === "error" || state === "writing" ? null : (
            <FileChanges tool={call.name} args={approval?.args ?? call.arguments} stored={state === "success"} />
          )}
          <JsonView label="Arguments" value={call.arguments} />
          {call.invalid === true ? <p className={css["wrong"]}>The tool cannot read these arguments.</p> : null}
          {approval === undefined ? null : (
            <p className={css["fact"]}>
              {approval.approved ? "Approved" : "Declined"}{" "}
              {approval.imported === true
                ? "before the thread was imported"
                : `by ${approval.by ?? "an administrator"}`}
              {approval.reason === undefined ? "" : `: ${approval.reason}`}
            </p>
          )}
          {approval?.args === undefined ? null : <JsonView label="Ran with" value={approval.args} />}
          {live === null || settled !== null || live.progress === null ? null : (
            <JsonView label="Progress" value={live.progress} />
          )}
          {live === null || live.output === "" || settled !== null ? null : (
            <pre className={css["output"]}>{live.output}</pre>
          )}
          {open && child !== null ? <ChildThread id={child} agent={call.name} /> : null}
          {executions.length === 0 ? null : <Executions tool={call.name} list={executions} />}
          {open && lines.length > 0 ? <Rows handle={handle} rows={lines} label={`What ${call.name} says`} /> : null}
          {settled?.error === undefined ? null : <p className={css["wrong"]}>{settled.error}</p>}
          {settled?.result === undefined || settled.result === "" ? null : <Result text={settled.result} />}
        </div>
      </details>
      {files.map(({ id, path, name, mimeType, size, width, height }) => (
        <Attachment
          key={id}
          handle={handle}
          file={{ path, url: null, name, type: mimeType, size, width: width ?? null, height: height ?? null }}
        />
      ))}
    </>
  );
});

/** A result: JSON is indented, any other text is markdown. */
function Result({ text }: { text: string }): ReactElement {
  const json = useMemo(() => jsonOf(text), [text]);
  if (json !== null) return <JsonView label="Result" value={json} />;
  return (
    <div className={css["json"]}>
      <span className={css["label"]}>
        Result <CopyButton text={text} />
      </span>
      <div className={css["result"]}>
        <Markdown text={text} />
      </div>
    </div>
  );
}

/** The parsed text if it is an object or a list; null otherwise. */
function jsonOf(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

const stateText = {
  writing: "being written",
  running: "running",
  waiting: "waiting",
  success: "done",
  error: "failed",
} as const;

/** The arguments in one line. */
function briefOf(args: Json): string {
  if (typeof args === "string") return args.slice(0, 120);
  if (args === null || typeof args !== "object" || Array.isArray(args)) return "";
  const pieces = Object.entries(args).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return pieces.join(", ").slice(0, 160);
}
