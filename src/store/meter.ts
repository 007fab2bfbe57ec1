// Counts the operations of a Durable Object's storage in the units that Cloudflare bills: rows read and rows written. It wraps the
// storage itself, so that all access is counted: SQL, also through drizzle, `kv`, keys and alarms. Counting reads two numbers of a
// cursor and is always on.

import { refuse } from "#contract/error.ts";

import { callCosts, meteredKv } from "./metered-keys.ts";
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
      // Related writes belong into one synchronous transaction (architecture §6). Writes in this one would not be counted.
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
