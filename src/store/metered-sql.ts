// Wraps SQL so that its rows are counted. A cursor is lazy and its counters grow while it is read, so the difference is added after
// every step.

import type { Tally } from "./meter.ts";

type Row = Record<string, SqlStorageValue>;

class MeteredCursor<T extends Row> implements SqlStorageCursor<T> {
  readonly #cursor: SqlStorageCursor<T>;
  readonly #tally: Tally;
  #read = 0;
  #written = 0;

  constructor(cursor: SqlStorageCursor<T>, tally: Tally) {
    this.#cursor = cursor;
    this.#tally = tally;
    this.#settle();
  }

  #settle(): void {
    const { rowsRead, rowsWritten } = this.#cursor;
    this.#tally.add({ rowsRead: rowsRead - this.#read, rowsWritten: rowsWritten - this.#written });
    this.#read = rowsRead;
    this.#written = rowsWritten;
  }

  #counted<R>(step: () => R): R {
    try {
      return step();
    } finally {
      this.#settle();
    }
  }

  next(): ReturnType<SqlStorageCursor<T>["next"]> {
    return this.#counted(() => this.#cursor.next());
  }

  toArray(): T[] {
    return this.#counted(() => this.#cursor.toArray());
  }

  one(): T {
    return this.#counted(() => this.#cursor.one());
  }

  raw<U extends SqlStorageValue[]>(): IterableIterator<U> {
    const rows = this.#cursor.raw<U>();
    const next = () => this.#counted(() => rows.next());
    const iterator: IterableIterator<U> = {
      next,
      [Symbol.iterator]: () => iterator,
    };
    return iterator;
  }

  get columnNames(): string[] {
    return this.#cursor.columnNames;
  }

  get rowsRead(): number {
    return this.#cursor.rowsRead;
  }

  get rowsWritten(): number {
    return this.#cursor.rowsWritten;
  }

  [Symbol.iterator](): IterableIterator<T> {
    const iterator: IterableIterator<T> = {
      next: () => this.next() as IteratorResult<T>,
      [Symbol.iterator]: () => iterator,
    };
    return iterator;
  }
}

/** Wraps the SQL interface. */
export function meteredSql(sql: SqlStorage, tally: Tally): SqlStorage {
  const exec = <T extends Row>(query: string, ...bindings: unknown[]): SqlStorageCursor<T> => {
    tally.add({ statements: 1 });
    return new MeteredCursor(sql.exec<T>(query, ...bindings), tally);
  };
  return {
    exec,
    get databaseSize() {
      return sql.databaseSize;
    },
    Cursor: sql.Cursor,
    Statement: sql.Statement,
  };
}
