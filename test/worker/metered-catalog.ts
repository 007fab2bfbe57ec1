// The catalog's database with a count of the rows that it wrote for each thread. The catalog writes only in batches. Threads of other
// files may write at the same time, so the rows of a statement are counted for the values that are bound to it.

const rows = new Map<unknown, number>();
const boundTo = new WeakMap<D1PreparedStatement, readonly unknown[]>();

/** The rows that were written for a thread since the Worker started. Index entries count as rows. */
export function catalogRowsOf(thread: string): number {
  return rows.get(thread) ?? 0;
}

/** Wraps the database to count its writes. */
export function meteredDatabase(database: D1Database): D1Database {
  return new Proxy(database, {
    get(target, name): unknown {
      if (name === "batch") return (statements: D1PreparedStatement[]) => counted(target, statements);
      if (name === "prepare") return (sql: string) => meteredStatement(target.prepare(sql));
      return methodOf(target, name);
    },
  });
}

function meteredStatement(statement: D1PreparedStatement): D1PreparedStatement {
  return new Proxy(statement, {
    get(target, name): unknown {
      if (name !== "bind") return methodOf(target, name);
      return (...values: unknown[]) => {
        const bound = target.bind(...values);
        boundTo.set(bound, values);
        return bound;
      };
    },
  });
}

function methodOf(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === "function" ? (value.bind(target) as unknown) : value;
}

async function counted(database: D1Database, statements: D1PreparedStatement[]): Promise<D1Result[]> {
  const results = await database.batch(statements);
  for (const [at, { meta }] of results.entries()) {
    const statement = statements[at];
    const values = new Set(statement === undefined ? [] : boundTo.get(statement));
    for (const value of values) rows.set(value, (rows.get(value) ?? 0) + meta.rows_written);
  }
  return results;
}
