// A client's list of threads with functions to check it in a test.

import type { ThreadList, ThreadStatus } from "#client/index.ts";

import { timeoutMs, within } from "./deadline.ts";

/** A subscribed list. */
export interface ShownList {
  /** The status of a thread in the list; undefined if the list does not have the thread. */
  statusOf: (id: string) => ThreadStatus | undefined;
  /** Resolves once the list satisfies a condition. */
  until: (what: string, fits: () => boolean) => Promise<void>;
  leave: () => void;
}

/** Subscribes to a list. */
export function shownList(list: ThreadList): ShownList {
  const looks = new Set<() => void>();
  const leave = list.subscribe(() => {
    for (const look of looks) look();
  });
  return {
    leave,
    statusOf: (id) => list.state.threads.find((thread) => thread.id === id)?.status,
    until(what, fits) {
      const found = new Promise<void>((resolve) => {
        const look = (): void => {
          if (!fits()) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
      });
      return within(timeoutMs, () => `${what}: ${JSON.stringify(list.state)}`, found);
    },
  };
}
