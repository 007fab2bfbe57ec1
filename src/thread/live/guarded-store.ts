// Guards the store of a loaded thread: after the thread was deleted, every read and write throws. Work that is still running must not
// change a thread that was created again under the same id.

import { refuse } from "#contract/error.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

/** Guards the store. `isDeleted` is called at each access. */
export function guardedStore(store: ManagedThreadStore, isDeleted: () => boolean): ManagedThreadStore {
  return new Proxy(store, {
    get(target, name): unknown {
      if (isDeleted()) throw refuse("thread_not_found", "There is no such thread.");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
