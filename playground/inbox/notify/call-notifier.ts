// Shows one notification for each call that begins to wait while the page is open. A call that waited before, that was answered in the
// meantime, or whose thread is on the screen of any tab has none.

import type { Thread } from "threadhold/client";

import { waitingCalls } from "../waiting-call.ts";
import type { WaitingCall } from "../waiting-call.ts";

/** What the notifier uses. */
export interface NotifierPorts {
  list: {
    get: () => { readonly threads: readonly Thread[]; readonly loading: boolean; readonly error: Error | null };
    subscribe: (listener: () => void) => () => void;
  };
  /** Whether this tab is the one that notifies. */
  isLeading: () => boolean;
  /** Whether a visible tab shows the call. */
  isShown: (waiting: WaitingCall) => Promise<boolean>;
  /** Shows a notification; the result closes it. */
  show: (waiting: WaitingCall) => () => void;
}

/** Begins to notify; the result ends it, and leaves shown notifications. */
export function notifyOfCalls({ list, isLeading, isShown, show }: NotifierPorts): () => void {
  /** The time of the newest wait when the page was loaded; null before. */
  let loadedAt: number | null = null;
  const known = new Set<string>();
  const shown = new Map<string, () => void>();
  let ended = false;
  const isWaiting = (key: string): boolean => waitingCalls(list.get().threads).some((waiting) => waiting.key === key);

  const notify = async (waiting: WaitingCall): Promise<void> => {
    if (await isShown(waiting)) return;
    // The call may have been answered during the check of the other tabs.
    if (!ended && isWaiting(waiting.key)) shown.set(waiting.key, show(waiting));
  };
  const update = (): void => {
    const { threads, loading, error } = list.get();
    // Without a response it is unknown what waited before.
    if (loading || (loadedAt === null && error !== null)) return;
    const waiting = waitingCalls(threads);
    const isFirst = loadedAt === null;
    loadedAt ??= Math.max(0, ...waiting.map(({ call }) => call.since ?? 0));
    const keys = new Set(waiting.map(({ key }) => key));
    for (const [key, close] of shown) {
      if (keys.has(key)) continue;
      shown.delete(key);
      close();
    }
    for (const one of waiting) {
      if (known.has(one.key)) continue;
      known.add(one.key);
      // A full list also gets older calls, in place of those that were answered.
      const isNew = !isFirst && (one.call.since ?? 0) > loadedAt;
      if (isNew && isLeading()) void notify(one);
    }
  };
  const stop = list.subscribe(update);
  update();
  return () => {
    ended = true;
    stop();
  };
}
