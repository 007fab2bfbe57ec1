// A thread as a source that components render.

import type { Branch, Connection, OpenCall, ThreadHandle, ThreadholdClient, ThreadView } from "#client/index.ts";

import type { Frame } from "./frame.ts";
import { Source } from "./source.ts";

/** State of a thread at one frame. */
export interface ThreadSnapshot {
  readonly state: ThreadView;
  readonly connection: Connection;
  readonly pending: readonly OpenCall[];
  /** The thread's branches; none before a component has read them, and while they are being loaded for the first time. */
  readonly branches: readonly Branch[];
}

/** The branches that part before a message, in the order in which they were made, and the place of the message's own one. */
export interface Siblings {
  readonly branches: readonly string[];
  readonly index: number;
}

/** A thread that the components of a page share. */
export interface ThreadSource {
  readonly handle: ThreadHandle;
  readonly source: Source<ThreadSnapshot>;
  /** Loads the branches, and again after each change to another branch. Call it when a component reads them. */
  loadBranches(): void;
  /** The branches that part directly before a message of the last frame's state; null if there are none. */
  siblings(messageId: string | undefined): Siblings | null;
}

/** Creates the source of a thread. */
export function threadSource(client: ThreadholdClient, id: string, frame: Frame): ThreadSource {
  const handle = client.thread(id);
  let branches: readonly Branch[] = [];
  let last: ThreadSnapshot = { state: handle.state, connection: handle.connection, pending: handle.pending, branches };
  let isWanted = false;
  /** The branch that the thread was on when the branches were last requested. */
  let loadedOn: string | undefined;
  let notify = (): void => undefined;
  const load = async (): Promise<void> => {
    const branch = handle.state.thread?.branch_id;
    if (!isWanted || branch === undefined || branch === loadedOn) return;
    loadedOn = branch;
    try {
      const loaded: Branch[] = [];
      for await (const one of handle.branches.list({ limit: 1000 })) loaded.push(one);
      // The thread may have changed to another branch meanwhile, whose load then decides.
      if (branch !== loadedOn) return;
      branches = loaded;
      notify();
    } catch {
      // The siblings of messages are not shown, or not the newest ones, until the next change of the branch: no event causes another request.
    }
  };
  const read = (): ThreadSnapshot => {
    const { state, connection, pending } = handle;
    // Pending calls change only with an event, and so with `state`.
    if (state !== last.state || connection !== last.connection || branches !== last.branches)
      last = { state, connection, pending, branches };
    return last;
  };
  const open = (changed: () => void): (() => void) => {
    notify = changed;
    return handle.subscribe(() => {
      void load();
      changed();
    });
  };
  const loadBranches = (): void => {
    if (isWanted) return;
    isWanted = true;
    void load();
  };
  const source = new Source({ frame, read, open });
  return { handle, source, loadBranches, siblings: (messageId) => siblingsOf(source.snapshot, messageId) };
}

function siblingsOf(
  { state: { messages, thread }, branches }: ThreadSnapshot,
  messageId: string | undefined,
): Siblings | null {
  const shown = messages.filter(({ depth, silent }) => depth === 0 && !silent);
  const at = shown.findIndex(({ id }) => id === messageId);
  // Older messages than those of the state may exist.
  const before = at === 0 && messages.length < (thread?.message_count ?? 0) ? undefined : (shown[at - 1]?.id ?? null);
  const parted = branches.filter((one) => one.parent_id !== null && one.after_message_id === before);
  const ids = [...parted.slice(0, 1).map((one) => one.parent_id ?? ""), ...parted.map(({ id }) => id)];
  // A message that streams does not name its branch yet.
  const index = ids.indexOf(shown[at]?.branch_id || (thread?.branch_id ?? ""));
  return index === -1 ? null : { branches: ids, index };
}
