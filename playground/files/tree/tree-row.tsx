// A row of the tree.

import type { ReactElement } from "react";

import { bytes } from "../../kit/figures.ts";
import { Icon } from "../../kit/icon.tsx";
import { VisibleName } from "../../kit/visible-name.tsx";
import { visibleText } from "../../kit/visible-text.ts";
import type { NoteRow, TreeRow } from "./tree-rows.ts";

import css from "./file-tree.module.css";

interface TreeRowViewProps {
  id: string;
  row: TreeRow;
  /** Pixels from the top. */
  start: number;
  /** The page shows this row's file. */
  shown: boolean;
  /** The row is the active one for the keyboard. */
  meant: boolean;
  unsaved: boolean;
  onPress: () => void;
}

/** The row. The tree has the focus and handles keys; a click has the same effect as a key. */
export function TreeRowView({ id, row, start, shown, meant, unsaved, onPress }: TreeRowViewProps): ReactElement {
  const common = {
    id,
    role: "treeitem",
    "aria-level": row.level,
    "data-meant": meant,
    onClick: onPress,
    style: { transform: `translateY(${start}px)`, paddingInlineStart: `calc(0.5rem + ${row.level - 1} * 0.875rem)` },
  } as const;
  if (row.kind === "note") {
    return (
      <div {...common} className={css["note"]} data-says={row.says} aria-selected={false}>
        {wordsFor(row)}
      </div>
    );
  }
  const { record, open, place, beside } = row;
  return (
    <div
      {...common}
      className={css["row"]}
      title={visibleText(record.name)}
      data-path={record.path}
      aria-selected={shown}
      aria-setsize={beside}
      aria-posinset={place}
      {...(open === null ? {} : { "aria-expanded": open })}
    >
      <span className={css["turn"]} data-open={open}>
        {open === null ? null : <Icon name="chevron" size={12} />}
      </span>
      <span className={css["name"]} data-folder={record.isDirectory}>
        <VisibleName name={record.name} />
      </span>
      {unsaved ? (
        <span className={css["unsaved"]} title="Changes that are not saved">
          <span className="visually-hidden">has changes that are not saved</span>
        </span>
      ) : null}
      {record.isDirectory ? null : <span className={css["size"]}>{bytes(record.size)}</span>}
    </div>
  );
}

function wordsFor({ says, error }: NoteRow): string {
  if (says === "failed") return `${error?.message ?? "It could not be read."} Press to try again.`;
  return says === "loading" ? "Loading…" : "Empty";
}
