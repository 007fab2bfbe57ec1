// A thread as a source that components render.

import type { Connection, OpenCall, ThreadHandle, ThreadholdClient, ThreadView } from "#client/index.ts";

import type { Frame } from "./frame.ts";
import { Source } from "./source.ts";

/** State of a thread at one frame. */
export interface ThreadSnapshot {
  readonly state: ThreadView;
  readonly connection: Connection;
  readonly pending: readonly OpenCall[];
}

/** A thread that the components of a page share. */
export interface ThreadSource {
  readonly handle: ThreadHandle;
  readonly source: Source<ThreadSnapshot>;
}

/** Creates the source of a thread. */
export function threadSource(client: ThreadholdClient, id: string, frame: Frame): ThreadSource {
  const handle = client.thread(id);
  let last: ThreadSnapshot = { state: handle.state, connection: handle.connection, pending: handle.pending };
  const read = (): ThreadSnapshot => {
    const { state, connection, pending } = handle;
    // Pending calls change only with an event, and so with `state`.
    if (state !== last.state || connection !== last.connection) last = { state, connection, pending };
    return last;
  };
  const open = (changed: () => void): (() => void) => handle.subscribe(changed);
  return { handle, source: new Source({ frame, read, open }) };
}
