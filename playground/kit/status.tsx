// The status of a thread or a run: a mark, whose shape and colour both show the status, and a text.

import type { ReactElement } from "react";

import css from "./status.module.css";

type Status = "idle" | "running" | "awaiting_tool_execution" | "error" | "queued" | "completed" | "stopped" | "limit";

const words: Readonly<Record<Status, string>> = {
  idle: "Idle",
  running: "Running",
  awaiting_tool_execution: "Waiting for an answer",
  error: "Failed",
  queued: "Queued",
  completed: "Completed",
  stopped: "Stopped",
  limit: "At its limit",
};

/** The status as text. */
export function statusWords(status: Status): string {
  return words[status];
}

/** The mark. Its text is shown next to it, or only read out. */
export function StatusMark({ status, shown = false }: { status: Status; shown?: boolean }): ReactElement {
  return (
    <span className={css["status"]} data-status={status} title={words[status]}>
      <span className={css["mark"]} aria-hidden="true" />
      <span className={shown ? css["words"] : "visually-hidden"}>{words[status]}</span>
    </span>
  );
}
