// A row of the trace: its name on the left, its bar on the time axis, its duration and figures on the right.

import { memo } from "react";
import type { CSSProperties, ReactElement } from "react";

import { duration } from "../kit/duration.ts";
import { count } from "../kit/figures.ts";
import { labelOf, lengthOf } from "./node-label.ts";
import type { TimeAxis } from "./time-axis.ts";
import type { TraceNode } from "./trace-node.ts";
import type { TraceRow as Row } from "./trace-rows.ts";

import css from "./trace.module.css";

interface TraceRowProps {
  id: string;
  row: Row;
  axis: TimeAxis;
  now: number;
  top: number;
  active: boolean;
  chosen: boolean;
  onChoose: (key: string) => void;
  onTurn: (node: TraceNode) => void;
}

/** The row. The tree handles the keyboard; a click selects the row, a click on its mark opens or folds it. */
export const TraceRow = memo(function TraceRow(props: TraceRowProps): ReactElement {
  const { id, row, axis, now, top, active, chosen, onChoose, onTurn } = props;
  const { node, level, place, siblings, open } = row;
  const style = { transform: `translateY(${top}px)`, "--level": Math.min(level - 1, 8) } as CSSProperties;
  return (
    <div
      role="none"
      className={css["row"]}
      data-active={active}
      data-chosen={chosen}
      data-kind={node.kind}
      data-state={node.state}
      style={style}
    >
      {/* Covers the row, and describes its bar for screen readers. The tree itself handles the keys. */}
      <div
        id={id}
        role="treeitem"
        tabIndex={-1}
        className={css["item"]}
        aria-level={level}
        aria-posinset={place}
        aria-setsize={siblings}
        aria-selected={chosen}
        {...(open === null ? {} : { "aria-expanded": open })}
        aria-label={labelOf(node, now)}
        onClick={() => onChoose(node.key)}
      />
      <span className={css["label"]} aria-hidden="true">
        {open === null ? (
          <span className={css["leaf"]} />
        ) : (
          <span className={css["turn"]} data-open={open} onClick={() => onTurn(node)} />
        )}
        <span className={css["name"]}>{node.name}</span>
        {node.aside === null ? null : <span className={css["aside"]}>{node.aside}</span>}
      </span>
      <span className={css["track"]} aria-hidden="true">
        <Bar node={node} axis={axis} now={now} />
      </span>
      <span className={css["tokens"]} aria-hidden="true">
        {tokensOf(node)}
      </span>
      <span className={css["took"]} aria-hidden="true">
        {node.kind === "note" ? "" : duration(lengthOf(node, now))}
      </span>
    </div>
  );
});

function Bar({ node, axis, now }: { node: TraceNode; axis: TimeAxis; now: number }): ReactElement {
  const from = axis.at(node.start);
  const to = axis.at(node.end ?? now);
  const first =
    node.kind === "attempt" && node.first_token_ms !== null
      ? (axis.at(node.start + node.first_token_ms * 1000) - from) / Math.max(to - from, 1e-6)
      : null;
  const style = {
    left: `${from * 100}%`,
    width: `${(to - from) * 100}%`,
    ...(first === null ? {} : { "--first": `${Math.min(1, first) * 100}%` }),
  } as CSSProperties;
  return <span className={css["bar"]} data-first={first !== null} style={style} />;
}

function tokensOf(node: TraceNode): string {
  if (node.kind !== "attempt" || node.usage === null) return "";
  const { input, cache_read, cache_write, output } = node.usage;
  return `${count(input + cache_read + cache_write)} → ${count(output)}`;
}
