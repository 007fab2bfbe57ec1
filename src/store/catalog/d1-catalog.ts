// The catalog on D1. A run that ended costs four rows written: the thread, its two index entries and the total.

import { ThreadholdError } from "#contract/error.ts";
import type { Thread } from "#contract/thread.ts";

import { decodeBody } from "../row-body.ts";
import type { Catalog, Reservation } from "./catalog.ts";
import { listStatement } from "./d1-list.ts";
import { ensureCatalogSchema } from "./d1-schema.ts";
import { putStatement, removeStatements, reserveStatements, totalsStatement } from "./d1-statements.ts";
import { usageStatement, usageTotals, type UsageLine } from "./d1-usage.ts";
import { threadPage } from "./thread-page.ts";

interface Body {
  body: string;
}

type ReservationRow = Omit<Reservation, "removed"> & { removed: number };

/** What a catalog may do on its own. */
export interface D1CatalogOptions {
  /** Make missing tables on first use: for the open loopback mode only. */
  ensureSchema?: boolean;
}

/** Databases whose tables were seen or are being made, so that a Worker looks once and not with every request. */
const ensured = new WeakMap<D1Database, Promise<void>>();

function ensureOnce(database: D1Database): Promise<void> {
  const known = ensured.get(database);
  if (known !== undefined) return known;
  const started = ensureCatalogSchema(database).catch((error: unknown) => {
    ensured.delete(database);
    throw error;
  });
  ensured.set(database, started);
  return started;
}

/** A refusal of ours passes; whatever else goes wrong on the way to the database is its being out of reach. */
function asUnavailable(error: unknown): ThreadholdError {
  if (error instanceof ThreadholdError) return error;
  const message = "The catalog of threads is out of reach for the moment.";
  return new ThreadholdError({ code: "unavailable", message, retry_after_ms: 1000 }, { cause: error });
}

/** The catalog over a database. */
export function createD1Catalog(database: D1Database, options: D1CatalogOptions = {}): Catalog {
  const reach = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      if (options.ensureSchema === true) await ensureOnce(database);
      return await work();
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
        const { results } = await listStatement(database, query).all<Body>();
        return threadPage(
          query,
          results.map((row) => decodeBody<Thread>(row.body)),
        );
      }),
    usage: (query) =>
      reach(async () => {
        const { results } = await usageStatement(database, query).all<UsageLine>();
        return usageTotals(results, query);
      }),
    reserveCreation: (request) =>
      reach(async () => {
        const [, holder] = await database.batch<ReservationRow>(reserveStatements(database, request));
        const [reservation] = holder?.results ?? [];
        if (reservation === undefined) throw new Error("a reserved key has no row");
        return { ...reservation, removed: reservation.removed === 1 };
      }),
  };
}
