// Counts the rows of keys and alarms, for which the platform has no counters: one row for each key that is read, written or deleted,
// and one written row for each alarm that is set or deleted.

import type { MeterReading, Tally } from "./meter.ts";

/** The first argument of a method for keys: one key, several, or keys with values. */
type Keys = string | string[] | Record<string, unknown>;

function keyCount(keys: Keys): number {
  if (typeof keys === "string") return 1;
  return Array.isArray(keys) ? keys.length : Object.keys(keys).length;
}

/** Cost of a call by method name. `list` is counted elsewhere, because its cost is the number of results. */
export const callCosts = new Map<string | symbol, (keys: Keys) => Partial<MeterReading>>([
  ["get", (keys) => ({ rowsRead: keyCount(keys) })],
  ["put", (keys) => ({ rowsWritten: keyCount(keys) })],
  ["delete", (keys) => ({ rowsWritten: keyCount(keys) })],
  ["setAlarm", () => ({ rowsWritten: 1, alarms: 1 })],
  ["deleteAlarm", () => ({ rowsWritten: 1 })],
]);

/** Wraps the synchronous key-value storage. */
export function meteredKv(kv: SyncKvStorage, tally: Tally): SyncKvStorage {
  return {
    get: <T>(key: string) => {
      tally.add({ rowsRead: 1 });
      return kv.get<T>(key);
    },
    *list<T>(options?: SyncKvListOptions) {
      for (const entry of kv.list<T>(options)) {
        tally.add({ rowsRead: 1 });
        yield entry;
      }
    },
    put: <T>(key: string, value: T) => {
      tally.add({ rowsWritten: 1 });
      kv.put(key, value);
    },
    delete: (key: string) => {
      tally.add({ rowsWritten: 1 });
      return kv.delete(key);
    },
  };
}
