// What follows the threads of a list: nothing was found, the list is full, or not all threads were searched. A list of which few threads of
// the deployment match stops before its end; it is never shown as empty or complete then.

import type { ReactElement } from "react";
import type { ThreadListView } from "threadhold/client";

import { Button } from "../kit/button.tsx";

import css from "./thread-list-panel.module.css";

/** The end of a list: `unsearched` if the search stopped before the list was full; null while it is loaded or after a failure. */
export type ListEnd = "empty" | "complete" | "full" | "unsearched" | null;

/** Returns the end of a list with at most `limit` threads, of which `shown` are shown. */
export function endOfList(list: ThreadListView, { limit, shown }: { limit: number; shown: number }): ListEnd {
  if (list.loading || list.error !== null) return null;
  if (list.threads.length >= limit) return "full";
  if (list.hasMore) return "unsearched";
  return shown === 0 ? "empty" : "complete";
}

/** States that not all threads were searched, with a button that continues. */
export function Unsearched({ found, onMore }: { found: boolean; onMore: () => void }): ReactElement {
  return (
    <div className={css["more"]} role="status">
      <p>{found ? "Not all threads were searched." : "Nothing found so far. Not all threads were searched."}</p>
      <Button small kind="quiet" icon="search" onClick={onMore}>
        Search further
      </Button>
    </div>
  );
}
