// The catalog's database with a count of the rows it wrote. Everything the catalog writes goes out in batches.

/** Since the Worker started; index entries count. */
export const catalogRows = { written: 0 };

/** The database, counted. */
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
