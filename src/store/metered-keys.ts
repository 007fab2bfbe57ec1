// Keys and alarms, counted by hand: the platform keeps no counters for them. A key that is read, written or deleted is a
// row; an alarm that is set or deleted is a row written.

import type { MeterReading, Tally } from "./meter.ts";

/** The first argument of a method that takes keys: one, several, or keys with their values. */
type Keys = string | string[] | Record<string, unknown>;

function keyCount(keys: Keys): number {
  if (typeof keys === "string") return 1;
  return Array.isArray(keys) ? keys.length : Object.keys(keys).length;
}

/** What a call of a storage method costs, by the method's name. `list` is not here: its cost is what it finds. */
export const callCosts = new Map<string | symbol, (keys: Keys) => Partial<MeterReading>>([
  ["get", (keys) => ({ rowsRead: keyCount(keys) })],
  ["put", (keys) => ({ rowsWritten: keyCount(keys) })],
  ["delete", (keys) => ({ rowsWritten: keyCount(keys) })],
  ["setAlarm", () => ({ rowsWritten: 1, alarms: 1 })],
  ["deleteAlarm", () => ({ rowsWritten: 1 })],
]);

/** The synchronous keys of a storage, counting. */
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
