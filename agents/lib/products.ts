// The table of the demo `shopkeeper`. It is created with its rows when it is first used, so that the demo needs no migration.

const products: readonly (readonly [name: string, price: number])[] = [
  ["copper kettle", 89],
  ["steel kettle", 49],
  ["tea cup", 12],
  ["teapot", 35],
];

/** Creates the table and its rows unless they exist. */
export async function createProducts(database: D1Database): Promise<void> {
  const insert = database.prepare("INSERT OR IGNORE INTO products (name, price) VALUES (?, ?)");
  await database.batch([
    database.prepare("CREATE TABLE IF NOT EXISTS products (name TEXT PRIMARY KEY, price INTEGER NOT NULL) STRICT"),
    ...products.map((product) => insert.bind(...product)),
  ]);
}
