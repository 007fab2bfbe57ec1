// State outside of React that components read: one value, and the components that are notified when it is replaced.

import { useSyncExternalStore } from "react";

/** A value that components subscribe to. Its functions need no `this`. */
export interface Store<T> {
  /** The value; the same object until `set` replaces it. */
  readonly get: () => T;
  /** Replaces the value and notifies every subscriber. */
  readonly set: (value: T) => void;
  /** Calls back after each replacement, until the returned function is called. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Whether anything is subscribed. */
  readonly isUsed: () => boolean;
}

/**
 * A store. `open` is called when the first subscriber is added, and the function that it returns when the last one is removed: for
 * values that are kept up to date only while something shows them.
 */
export function createStore<T>(initial: T, open: () => () => void = () => () => undefined): Store<T> {
  const listeners = new Set<{ notify: () => void }>();
  let value = initial;
  let close = (): void => undefined;
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const { notify } of listeners) notify();
    },
    subscribe(notify) {
      const entry = { notify };
      listeners.add(entry);
      if (listeners.size === 1) close = open();
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) close();
      };
    },
    isUsed: () => listeners.size > 0,
  };
}

/** A store's value in a component, which is drawn again when the value is replaced. */
export function useStore<T>({ subscribe, get }: Pick<Store<T>, "subscribe" | "get">): T {
  return useSyncExternalStore(subscribe, get);
}
