// The store of a loaded thread until the thread is deleted. After that every read and write throws: work that is still under way
// must not touch a thread that was created again under the same id.

import { refuse } from "#contract/error.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

/** Guards the store. `isDeleted` is asked at each use. */
export function guardedStore(store: ManagedThreadStore, isDeleted: () => boolean): ManagedThreadStore {
  return new Proxy(store, {
    get(target, name): unknown {
      if (isDeleted()) throw refuse("thread_not_found", "There is no such thread.");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
