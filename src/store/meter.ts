// Counts the operations of a Durable Object's storage in the units that Cloudflare bills: rows read and rows written. It wraps the
// storage itself, so that all access is counted: SQL, `kv`, keys and alarms. Counting reads two numbers of a
// cursor and is always on.

import { refuse } from "#contract/error.ts";

import { meteredSql } from "./metered-sql.ts";

/** Totals since the meter was created. */
export interface MeterReading {
  rowsRead: number;
  /** Includes index entries, deleted rows, and every alarm that was set or deleted. */
  rowsWritten: number;
  statements: number;
  alarms: number;
}

/** The counter that the wrappers increase. */
export interface Tally {
  add(change: Partial<MeterReading>): void;
}

/** Reads the totals. */
interface Meter {
  snapshot(): MeterReading;
  /** The difference since a snapshot. */
  since(before: MeterReading): MeterReading;
}

/** A Durable Object's storage that counts. All code above the meter uses this type, so that no access is uncounted. */
export interface MeteredStorage extends DurableObjectStorage {
  readonly meter: Meter;
}

class Totals implements Tally, Meter {
  readonly #total: MeterReading = { rowsRead: 0, rowsWritten: 0, statements: 0, alarms: 0 };

  add(change: Partial<MeterReading>): void {
    this.#total.rowsRead += change.rowsRead ?? 0;
    this.#total.rowsWritten += change.rowsWritten ?? 0;
    this.#total.statements += change.statements ?? 0;
    this.#total.alarms += change.alarms ?? 0;
  }

  snapshot(): MeterReading {
    return { ...this.#total };
  }

  since(before: MeterReading): MeterReading {
    const now = this.#total;
    return {
      rowsRead: now.rowsRead - before.rowsRead,
      rowsWritten: now.rowsWritten - before.rowsWritten,
      statements: now.statements - before.statements,
      alarms: now.alarms - before.alarms,
    };
  }
}

/** Wraps an object's storage. Called once; all parts of the object share the meter. */
export function meterStorage(storage: DurableObjectStorage): MeteredStorage {
  const totals = new Totals();
  const replaced: Partial<Record<string | symbol, unknown>> = {
    meter: totals,
    sql: meteredSql(storage.sql, totals),
    kv: meteredKv(storage.kv, totals),
    async list(options?: DurableObjectListOptions) {
      const found = await storage.list(options);
      totals.add({ rowsRead: found.size });
      return found;
    },
    transaction() {
      // Related writes belong in one synchronous transaction (architecture §6). Writes in an asynchronous transaction would not be counted.
      throw refuse("internal", "Async transactions are not metered: use transactionSync.");
    },
  };
  return new Proxy(storage, {
    get(target, name): unknown {
      if (Object.hasOwn(replaced, name)) return replaced[name];
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const cost = callCosts.get(name);
      return (...given: unknown[]): unknown => {
        if (cost !== undefined) totals.add(cost(given[0] as Parameters<typeof cost>[0]));
        // The platform's methods require their own object as `this`.
        return Reflect.apply(value, target, given);
      };
    },
  }) as MeteredStorage;
}

/** The first argument of a method for keys: one key, several, or keys with values. */
type Keys = string | string[] | Record<string, unknown>;

function keyCount(keys: Keys): number {
  if (typeof keys === "string") return 1;
  return Array.isArray(keys) ? keys.length : Object.keys(keys).length;
}

/**
 * The rows that calls of these methods read or write, by method name. They are calculated from the arguments, because the platform has no
 * counters for keys and alarms. `list` is not here: the number of its results counts.
 */
const callCosts = new Map<string | symbol, (keys: Keys) => Partial<MeterReading>>([
  ["get", (keys) => ({ rowsRead: keyCount(keys) })],
  ["put", (keys) => ({ rowsWritten: keyCount(keys) })],
  ["delete", (keys) => ({ rowsWritten: keyCount(keys) })],
  ["setAlarm", () => ({ rowsWritten: 1, alarms: 1 })],
  ["deleteAlarm", () => ({ rowsWritten: 1 })],
]);

/** Wraps the synchronous key-value storage. */
function meteredKv(kv: SyncKvStorage, tally: Tally): SyncKvStorage {
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
