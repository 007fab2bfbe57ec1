// A list of threads as components draw it. It is asked for again and again while somebody looks: there is no stream of lists yet.
// Threads that did not change stay the same objects, and so does the list.

import type { Thread, ThreadFilter, ThreadholdClient, Timers } from "#client/index.ts";
import { ThreadholdClientError } from "#client/index.ts";
import type { Presence } from "#client/presence.ts";

import type { Frame } from "./frame.ts";
import { Source } from "./source.ts";

/** A list at a frame. */
export interface ThreadListPicture {
  readonly threads: readonly Thread[];
  /** Nothing came yet. */
  readonly loading: boolean;
  /** Why the last asking failed; the threads are those of the one before. */
  readonly error: Error | null;
}

/** What a list is asked with. */
export interface ThreadListPorts {
  client: ThreadholdClient;
  frame: Frame;
  timers: Timers;
  presence: Presence;
}

/** A list that components of a page share. */
export interface ThreadListSource {
  readonly source: Source<ThreadListPicture>;
  /** Asks again now. */
  readonly refresh: () => void;
}

/** The source of a list. */
export function threadListSource(ports: ThreadListPorts, filter: ThreadFilter, everyMs: number): ThreadListSource {
  const { client, frame, timers, presence } = ports;
  let picture: ThreadListPicture = { threads: [], loading: true, error: null };
  let ask = (): void => undefined;
  const open = (changed: () => void): (() => void) => {
    const leave = new AbortController();
    let callOff = (): void => undefined;
    let asking = false;
    const show = (next: ThreadListPicture): void => {
      if (same(next, picture)) return;
      picture = next;
      changed();
    };
    const again = (milliseconds: number): void => {
      callOff();
      callOff = timers.after(milliseconds, () => ask());
    };
    const load = async (): Promise<void> => {
      asking = true;
      try {
        const { items } = await client.threads.list(filter, { signal: leave.signal });
        show({ threads: kept(items, picture.threads), loading: false, error: null });
        again(everyMs);
      } catch (thrown) {
        if (leave.signal.aborted) return;
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        show({ ...picture, loading: false, error });
        again(Math.max(2 * everyMs, error instanceof ThreadholdClientError ? (error.retryAfterMs ?? 0) : 0));
      } finally {
        asking = false;
      }
    };
    ask = () => {
      callOff();
      if (!asking && presence.visible && presence.online) void load();
    };
    const unwatch = presence.watch((change) => {
      if (change !== "offline") ask();
    });
    ask();
    return () => {
      ask = () => undefined;
      leave.abort();
      callOff();
      unwatch();
    };
  };
  return { source: new Source({ frame, look: () => picture, open }), refresh: () => ask() };
}

/** The new list made of the old objects where they say the same; the old list where all do. */
function kept(threads: readonly Thread[], before: readonly Thread[]): readonly Thread[] {
  const known = new Map(before.map((thread) => [thread.id, thread]));
  const next = threads.map((thread) => {
    const old = known.get(thread.id);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(thread) ? old : thread;
  });
  return next.length === before.length && next.every((thread, at) => thread === before[at]) ? before : next;
}

function same(one: ThreadListPicture, other: ThreadListPicture): boolean {
  return one.threads === other.threads && one.loading === other.loading && one.error?.message === other.error?.message;
}
