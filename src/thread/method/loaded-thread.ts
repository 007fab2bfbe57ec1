// A thread in the memory of its object, as the methods of the object use it.

import type { MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { ObjectContext } from "../object-context.ts";
import type { Driver } from "../run/driver.ts";

/** A thread that is loaded. */
export interface OpenThread {
  context: ObjectContext;
  driver: Driver;
  storage: MeteredStorage;
  store: ManagedThreadStore;
}
