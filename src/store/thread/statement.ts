// Runs SQL statements of an object's tables on its metered storage. The platform keeps a prepared statement for each text, so a text is a
// constant.

import { refuse } from "#contract/error.ts";

import type { MeteredStorage } from "../meter.ts";

type Row = Record<string, SqlStorageValue>;

/** A statement with its values, in the order of its parameters. */
export interface Statement<R extends Row> {
  /** Runs a statement without a result. */
  run(...values: SqlStorageValue[]): void;
  /** The first row; undefined if there is none. */
  get(...values: SqlStorageValue[]): R | undefined;
  all(...values: SqlStorageValue[]): R[];
}

/** The body of a record's row. */
export interface BodyRow extends Row {
  body: string;
}

/** Makes a statement of an object's storage. */
export function statement<R extends Row = BodyRow>({ sql }: MeteredStorage, text: string): Statement<R> {
  const all = (...values: SqlStorageValue[]): R[] => sql.exec<R>(text, ...values).toArray();
  return { run: (...values) => void sql.exec(text, ...values), get: (...values) => all(...values)[0], all };
}

/** Throws if the record to update does not exist. That is a bug, and continuing would lose the write. */
export function assertUpdated(changed: object | undefined, what: string): void {
  if (changed === undefined) throw refuse("internal", `There is no ${what} to update.`);
}
