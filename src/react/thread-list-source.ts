// A list of threads as components draw it.

import type { ThreadFilter, ThreadholdClient, ThreadListView } from "#client/index.ts";

import type { Frame } from "./frame.ts";
import { Source } from "./source.ts";

/** A list that components of a page share. */
export interface ThreadListSource {
  readonly source: Source<ThreadListView>;
  /** Asks again now. */
  readonly refresh: () => void;
}

/** How a source of a list is made. */
export interface ThreadListWish {
  filter: ThreadFilter;
  everyMs: number | undefined;
}

/** The source of a list. */
export function threadListSource(
  client: ThreadholdClient,
  { filter, everyMs }: ThreadListWish,
  frame: Frame,
): ThreadListSource {
  const list = client.threads.follow(filter, { everyMs });
  const open = (changed: () => void): (() => void) => list.subscribe(changed);
  return { source: new Source({ frame, look: () => list.state, open }), refresh: () => list.refresh() };
}
