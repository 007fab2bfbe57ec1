// The catalog's database with a count of the rows that it wrote. The catalog writes only in batches.

/** The number of rows since the Worker started. Index entries count as rows. */
export const catalogRows = { written: 0 };

/** Wraps the database to count its writes. */
export function meteredDatabase(database: D1Database): D1Database {
  return new Proxy(database, {
    get(target, name): unknown {
      if (name === "batch") return (statements: D1PreparedStatement[]) => counted(target, statements);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

async function counted(database: D1Database, statements: D1PreparedStatement[]): Promise<D1Result[]> {
  const results = await database.batch(statements);
  catalogRows.written += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
  return results;
}
