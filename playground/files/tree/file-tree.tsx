// The tree of a thread's files. The tree element has the focus and names the active row, because only visible rows are
// rendered: a folder of ten thousand files is as fast as one of ten.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent, ReactElement } from "react";
import type { FileRecord } from "threadhold/client";

import { moveOf, typedRow } from "./tree-keys.ts";
import { TreeRowView } from "./tree-row.tsx";
import type { TreeRow } from "./tree-rows.ts";

import css from "./file-tree.module.css";

/** The height of a row in pixels for touch or mouse, the same as in the style sheet. */
const rowHeight = matchMedia("(pointer: coarse)").matches ? 44 : 28;

/** Milliseconds within which typed letters belong together. */
const typingMs = 700;

interface FileTreeProps {
  rows: readonly TreeRow[];
  /** The path that the page shows. */
  shown: string;
  /** Paths of files with unsaved changes. */
  unsaved: ReadonlySet<string>;
  onOpen: (path: string, open: boolean) => void;
  onChoose: (record: FileRecord) => void;
  onDelete: (record: FileRecord) => void;
  onRetry: (path: string) => void;
}

export function FileTree(props: FileTreeProps): ReactElement {
  const { rows, shown, unsaved, onOpen, onChoose, onDelete, onRetry } = props;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const typing = useRef({ letters: "", at: 0 });
  const [meant, setMeant] = useState<string | null>(null);
  const found = rows.findIndex(({ key }) => key === (meant ?? shown));
  const at = Math.max(0, found);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
    useFlushSync: false,
  });
  const shownAt = useRef(-1);
  shownAt.current = rows.findIndex(({ key }) => key === shown);
  const isThere = shownAt.current >= 0;
  useEffect(() => {
    setMeant(shown);
  }, [shown]);
  useEffect(() => {
    // Scrolls when the row of the shown path appears, not whenever a row above it does.
    if (isThere) virtual.scrollToIndex(shownAt.current, { align: "auto" });
  }, [shown, isThere, virtual]);

  const go = (to: number): void => {
    setMeant(rows[to]?.key ?? null);
    virtual.scrollToIndex(to, { align: "auto" });
  };
  const choose = (row: TreeRow | undefined): void => {
    if (row === undefined) return;
    if (row.kind === "note") {
      if (row.says === "failed") onRetry(row.path);
      return;
    }
    setMeant(row.key);
    // A click opens a closed folder, and closes an open one that the page shows already.
    if (row.open === false || (row.open === true && row.key === shown)) onOpen(row.record.path, !row.open);
    onChoose(row.record);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[at];
    if (event.key === "Delete" && row?.kind === "entry") {
      event.preventDefault();
      onDelete(row.record);
      return;
    }
    const letters = typing.current;
    const isTyping = event.timeStamp - letters.at < typingMs && letters.letters !== "";
    const move = event.key === " " && isTyping ? null : moveOf(rows, at, event.key);
    if (move !== null) {
      event.preventDefault();
      if (move.type === "go") go(move.to);
      else if (move.type === "choose") choose(row);
      else onOpen(move.path, move.type === "open");
      return;
    }
    // Other keys have names longer than one character.
    if (Array.from(event.key).length !== 1) return;
    event.preventDefault();
    letters.letters = isTyping ? letters.letters + event.key : event.key;
    letters.at = event.timeStamp;
    const to = typedRow(rows, at, letters.letters);
    if (to !== null) go(to);
  };
  const isDrawn = virtual.getVirtualItems().some(({ index }) => index === at);
  return (
    <div ref={place} className={css["place"]}>
      <div
        role="tree"
        aria-label="Files"
        tabIndex={0}
        className={css["tree"]}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={press}
        {...(isDrawn ? { "aria-activedescendant": `${id}${at}` } : {})}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TreeRowView
              key={key}
              id={`${id}${index}`}
              row={row}
              start={start}
              shown={row.key === shown}
              meant={index === at}
              unsaved={row.kind === "entry" && unsaved.has(row.record.path)}
              onPress={() => {
                choose(row);
                place.current?.querySelector<HTMLElement>("[role=tree]")?.focus({ preventScroll: true });
              }}
            />
          );
        })}
      </div>
    </div>
  );
}
