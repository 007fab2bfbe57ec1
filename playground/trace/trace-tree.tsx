// The bars of a run on one time axis, one row each. For keyboard and screen readers they are a tree. Only visible rows are rendered.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef } from "react";
import type { KeyboardEvent, ReactElement } from "react";

import type { TimeAxis } from "./time-axis.ts";
import { TraceAxis } from "./trace-axis.tsx";
import type { TraceNode } from "./trace-node.ts";
import { TraceRow } from "./trace-row.tsx";
import type { TraceRow as Row } from "./trace-rows.ts";

import css from "./trace.module.css";

const rowHeight = 30;

interface TraceTreeProps {
  rows: readonly Row[];
  axis: TimeAxis;
  now: number;
  /** The active row of the keyboard. */
  active: string;
  /** The row whose detail is shown. */
  chosen: string | null;
  onActive: (key: string) => void;
  onChoose: (key: string) => void;
  onClose: () => void;
  onTurn: (node: TraceNode) => void;
}

export function TraceTree(props: TraceTreeProps): ReactElement {
  const { rows, axis, now, active, chosen, onActive, onChoose, onClose, onTurn } = props;
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const at = Math.max(
    0,
    rows.findIndex(({ node }) => node.key === active),
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.node.key ?? index,
    overscan: 12,
    useFlushSync: false,
  });
  useEffect(() => {
    virtual.scrollToIndex(at, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- where the row stands is no reason to scroll, only that another is active
  }, [active]);
  const go = (index: number): void => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row !== undefined) onActive(row.node.key);
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (row === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    const act = actionOf(event.key, { row, at, last: rows.length - 1, go, onActive, onChoose, onClose, onTurn });
    if (act === null) return;
    event.preventDefault();
    act();
  };
  const rowId = (index: number): string => `${id}-${index}`;
  return (
    <div className={css["chart"]}>
      <TraceAxis axis={axis} />
      <div
        ref={place}
        id="trace-tree"
        className={css["tree"]}
        role="tree"
        aria-label="Trace"
        tabIndex={0}
        aria-activedescendant={rowId(at)}
        onKeyDown={press}
      >
        <div role="none" className={css["rows"]} style={{ height: virtual.getTotalSize() }}>
          <div className={css["grid"]} aria-hidden="true">
            <div className={css["scale"]}>
              {axis.ticks.map(({ at: left }) => (
                <span key={left} className={css["line"]} style={{ left: `${left * 100}%` }} />
              ))}
              {axis.folds.map(({ from, to }) => (
                <span
                  key={from}
                  className={css["fold"]}
                  style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
                />
              ))}
            </div>
          </div>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <TraceRow
                key={row.node.key}
                id={rowId(index)}
                row={row}
                axis={axis}
                now={row.node.end ?? now}
                top={start}
                active={index === at}
                chosen={row.node.key === chosen}
                onChoose={onChoose}
                onTurn={onTurn}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface Pressed extends Pick<TraceTreeProps, "onActive" | "onChoose" | "onClose" | "onTurn"> {
  row: Row;
  at: number;
  last: number;
  go: (index: number) => void;
}

/** The action of a key at a row; null if it has none. */
function actionOf(key: string, pressed: Pressed): (() => void) | null {
  const { row, at, last, go, onActive, onChoose, onClose, onTurn } = pressed;
  const { node, open, parent } = row;
  switch (key) {
    case "ArrowDown":
      return () => go(at + 1);
    case "ArrowUp":
      return () => go(at - 1);
    case "Home":
      return () => go(0);
    case "End":
      return () => go(last);
    case "ArrowRight":
      return open === null ? null : () => (open ? go(at + 1) : onTurn(node));
    case "ArrowLeft":
      return open === true ? () => onTurn(node) : parent === null ? null : () => onActive(parent);
    case "Enter":
    case " ":
      return () => onChoose(node.key);
    case "Escape":
      return onClose;
    default:
      return null;
  }
}
