// The messages under a call, drawn smaller and indented.

import type { ReactElement } from "react";

import { MessageItem } from "./message-item.tsx";
import type { NestedRowsProps } from "./nested-rows-context.ts";

import css from "./nested.module.css";

/** The maximum number of messages that are drawn, the last ones of the list. */
const most = 60;

export function NestedRows({ handle, rows, label }: NestedRowsProps): ReactElement {
  const shown = rows.slice(-most);
  return (
    <div className={css["rows"]} role="group" aria-label={label}>
      {rows.length === shown.length ? null : (
        <p className={css["earlier"]}>{rows.length - shown.length} earlier messages are not shown here.</p>
      )}
      {shown.map((row) => (
        <MessageItem key={row.key} row={row} handle={handle} running={false} nested />
      ))}
    </div>
  );
}
