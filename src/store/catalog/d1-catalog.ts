// The catalog (the deployment's index of all threads) in D1. Every call has a time limit, after which the database counts as unavailable. A
// completed run of a root thread with one model writes five rows: the thread, its two index entries, the total and its index entry.

import { ThreadholdError } from "#contract/error.ts";
import type { Thread } from "#contract/thread.ts";
import { withinTime } from "#lib/time-limit.ts";
import { platformTimers } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";
import { unreachable } from "#lib/unreachable.ts";

import { decodeBody } from "../row-body.ts";
import type { Catalog, Reservation } from "./catalog.ts";
import { listedPage, listStatement, type ListedRow } from "./d1-list.ts";
import { ensureCatalogSchema } from "./d1-schema.ts";
import {
  putStatement,
  removeStatements,
  reservedStatement,
  reserveStatements,
  totalsStatement,
} from "./d1-statements.ts";
import { readUsage } from "./d1-usage.ts";

interface Body {
  body: string;
}

type ReservationRow = Omit<Reservation, "removed"> & { removed: number };

export interface D1CatalogOptions {
  /** Create missing tables at first use. Only for the open loopback mode. */
  ensureSchema?: boolean;
  /** Default: the platform's timers. */
  timers?: Timers;
}

/** Milliseconds that a call of the database may take. Lists and usage reports read more and have the longer limit. */
const callMs = 5000;
const reportMs = 15_000;

/**
 * Databases whose tables are known to exist, so that an isolate checks once instead of at every request. No promise is stored: a
 * promise of a request that has ended may never settle for other requests. So several concurrent requests may each check.
 */
const ensured = new WeakSet<D1Database>();

async function ensureOnce(database: D1Database): Promise<void> {
  if (ensured.has(database)) return;
  await ensureCatalogSchema(database);
  ensured.add(database);
}

/** Returns refusals unchanged, and turns every other failure of a database call into `unavailable` with the cause. */
function asUnavailable(error: unknown): ThreadholdError {
  if (error instanceof ThreadholdError) return error;
  const message = "The catalog of threads is out of reach for the moment.";
  return new ThreadholdError({ code: "unavailable", message, retry_after_ms: 1000 }, { cause: error });
}

/** Creates the catalog over a database. */
export function createD1Catalog(database: D1Database, options: D1CatalogOptions = {}): Catalog {
  const { ensureSchema = false, timers = platformTimers } = options;
  const prepared = async <T>(work: () => Promise<T>): Promise<T> => {
    if (ensureSchema) await ensureOnce(database);
    return work();
  };
  const reach = async <T>(work: () => Promise<T>, milliseconds = callMs): Promise<T> => {
    try {
      return await withinTime(prepared(work), { timers, milliseconds });
    } catch (error) {
      throw asUnavailable(error);
    }
  };
  const write = (statements: () => D1PreparedStatement[]): Promise<void> =>
    reach(async () => {
      await database.batch(statements());
    });

  return {
    put: (entry) => write(() => [putStatement(database, entry)]),
    addRunTotals: (totals) => write(() => [totalsStatement(database, totals)]),
    flush: (entry, totals) => write(() => [putStatement(database, entry), totalsStatement(database, totals)]),
    remove: (removal) => write(() => removeStatements(database, removal)),
    get: (threadId) =>
      reach(async () => {
        const row = await database.prepare("SELECT body FROM thread WHERE id = ?").bind(threadId).first<Body>();
        return row === null ? null : decodeBody<Thread>(row.body);
      }),
    list: (query) =>
      reach(async () => {
        const { results } = await (await listStatement(database, query)).all<ListedRow>();
        return listedPage(query, results);
      }, reportMs),
    usage: (query) => reach(() => readUsage(database, query), reportMs),
    reserveCreation: (request) =>
      reach(async () => {
        const [, holder] = await database.batch<ReservationRow>(reserveStatements(database, request));
        const [reservation] = holder?.results ?? [];
        if (reservation === undefined) unreachable("A reserved key has no row.");
        return { ...reservation, removed: reservation.removed === 1 };
      }),
    isReserved: (request) => reach(async () => (await reservedStatement(database, request).first()) !== null),
  };
}
