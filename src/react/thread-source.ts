// A thread as components draw it.

import type { Connection, OpenCall, ThreadHandle, ThreadholdClient, ThreadView } from "#client/index.ts";

import type { Frame } from "./frame.ts";
import { Source } from "./source.ts";

/** What is known of a thread at a frame. */
export interface ThreadPicture {
  readonly state: ThreadView;
  readonly connection: Connection;
  readonly pending: readonly OpenCall[];
}

/** A thread that components of a page share. */
export interface ThreadSource {
  readonly handle: ThreadHandle;
  readonly source: Source<ThreadPicture>;
}

/** The source of a thread. */
export function threadSource(client: ThreadholdClient, id: string, frame: Frame): ThreadSource {
  const handle = client.thread(id);
  let last: ThreadPicture = { state: handle.state, connection: handle.connection, pending: handle.pending };
  const look = (): ThreadPicture => {
    const { state, connection, pending } = handle;
    // Calls change with an event, and so with the state.
    if (state !== last.state || connection !== last.connection) last = { state, connection, pending };
    return last;
  };
  const open = (changed: () => void): (() => void) => handle.subscribe(changed);
  return { handle, source: new Source({ frame, look, open }) };
}
