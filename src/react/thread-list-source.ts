// A list of threads as a source that components render.

import type { ThreadFilter, ThreadholdClient, ThreadListView } from "#client/index.ts";

import type { Frame } from "./frame.ts";
import { Source } from "./source.ts";

/** A list that the components of a page share. */
export interface ThreadListSource {
  readonly source: Source<ThreadListView>;
  /** Requests the list again now. */
  readonly refresh: () => void;
  /** Continues the search of a short list. */
  readonly loadMore: () => void;
}

/** Filter and interval of a list. */
export interface ThreadListSourceOptions {
  filter: ThreadFilter;
  everyMs: number | undefined;
}

/** Creates the source of a list. */
export function threadListSource(
  client: ThreadholdClient,
  { filter, everyMs }: ThreadListSourceOptions,
  frame: Frame,
): ThreadListSource {
  const list = client.threads.follow(filter, { everyMs });
  const open = (changed: () => void): (() => void) => list.subscribe(changed);
  return {
    source: new Source({ frame, read: () => list.state, open }),
    refresh: () => list.refresh(),
    loadMore: () => list.loadMore(),
  };
}
