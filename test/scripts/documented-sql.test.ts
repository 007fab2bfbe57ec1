// The SQL of the documents, run in SQLite as D1 has it: blocks with SQL, commands of `wrangler d1 execute`, and statements in code. The tables
// are those of the catalog's migrations, and those that the pages create.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { writeProject } from "../compiler/temporary-project.ts";
import { blocksOf, codeBlocks, documents, root, shownFiles } from "./documents.ts";

interface Database {
  prepare(statement: string): { all(): Promise<unknown>; bind(...values: unknown[]): { all(): Promise<unknown> } };
}
interface Miniflare {
  getD1Database(name: string): Promise<Database>;
  dispose(): Promise<void>;
}

let miniflare: Miniflare;

beforeAll(() => {
  const wrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));
  const { Miniflare } = wrangler("miniflare") as { Miniflare: new (options: object) => Miniflare };
  miniflare = new Miniflare({ modules: true, script: "", d1Databases: ["PAGES", "WRONG", "USAGE"] });
});

afterAll(() => miniflare.dispose());

interface Statement {
  place: string;
  text: string;
}

const folder = path.join(root, "migrations/catalog");
const catalog: readonly Statement[] = readdirSync(folder)
  .toSorted()
  .flatMap((file) =>
    statementsOf(readFileSync(path.join(folder, file), "utf8")).map((text) => ({ place: file, text })),
  );

/** The statements of a text. No statement of the documents has a semicolon in a string. */
function statementsOf(text: string): string[] {
  const lines = text.split("\n").filter((line) => !line.startsWith("--"));
  return lines
    .join("\n")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** The statements of all documents, in the order of the pages: first those that create tables. */
function documented(): Statement[] {
  const inBlocks = documents.flatMap(blocksOf).flatMap(({ document, line, info, text }) => {
    const place = `${document}:${String(line)}`;
    if (/^sql(?: |$)/.test(info)) return statementsOf(text).map((statement) => ({ place, text: statement }));
    const commands = [...text.matchAll(/d1 execute \S+ [^\n]*--command "([^"]+)"/g)];
    return commands.flatMap(([, sql = ""]) => statementsOf(sql)).map((statement) => ({ place, text: statement }));
  });
  const inCode = codeBlocks.flatMap(({ document, line, text }) =>
    [...text.matchAll(/(?:\.(?:prepare|exec)\(|\bsql:)\s*(["`])([^"`]+)\1/g)].map(([, , sql = ""]) => ({
      place: `${document}:${String(line)}`,
      text: sql,
    })),
  );
  const isCreation = ({ text }: Statement): boolean => text.startsWith("CREATE");
  return [...inBlocks, ...inCode].toSorted((one, other) => Number(isCreation(other)) - Number(isCreation(one)));
}

/** Creates the tables of the statements, and plans each of the others. Returns what SQLite refuses. */
async function problemsOf(database: Database, statements: readonly Statement[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { place, text } of statements) {
    // A test of a page creates the table of the page's migration again.
    const statement = text.startsWith("CREATE")
      ? text.replace(/^CREATE TABLE /, "$&IF NOT EXISTS ")
      : `EXPLAIN ${text}`;
    const values = Array.from(text.matchAll(/\?/g), () => "x");
    try {
      await database
        .prepare(statement)
        .bind(...values)
        .all();
    } catch (error) {
      problems.push(`${place}: ${text}: ${String(error)}`);
    }
  }
  return problems;
}

it("Every SQL statement of a document is one that SQLite can run on the tables of the catalog and of its page", async () => {
  const statements = documented();
  expect(statements.length).toBeGreaterThan(4);
  // A table of an example for which no page shows a migration.
  const examples = [{ place: "example", text: "CREATE TABLE customers (name TEXT, email TEXT)" }];
  expect(await problemsOf(await miniflare.getD1Database("PAGES"), [...catalog, ...examples, ...statements])).toEqual(
    [],
  );
  const wrong = [
    { place: "a", text: "UPDATE run_total SET owner = NULL" },
    { place: "b", text: "CREATE TABEL x (a)" },
  ];
  const found = await problemsOf(await miniflare.getD1Database("WRONG"), [...catalog, ...wrong]);
  expect(found).toEqual([expect.stringMatching(/^a: .*no such column/), expect.stringMatching(/^b: .*syntax error/)]);
});

it("The script that removes a customer from the usage sends the id as a parameter, and changes no row of another user", async () => {
  const database = await miniflare.getD1Database("USAGE");
  await database.prepare("CREATE TABLE run_total (run_id TEXT, user_id TEXT)").all();
  const users = ["o'brien", "' OR '1'='1", "anna"];
  for (const user of users) await database.prepare("INSERT INTO run_total VALUES ('a', ?)").bind(user).all();
  const received: string[] = [];
  const server = createServer((request, response) => {
    void readText(request).then(async (body) => {
      received.push(`${String(request.url)} ${String(request.headers.authorization)}`);
      const { sql, params } = JSON.parse(body) as { sql: string; params: unknown[] };
      await database
        .prepare(sql)
        .bind(...params)
        .all();
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const file = "scripts/forget-usage.mjs";
  const project = writeProject({ [file]: shownFiles("docs/guide/recipe-delete-customer.md")[file] ?? "" });
  const env = {
    PATH: process.env.PATH,
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
  };
  const run = (user: string) => promisify(execFile)(process.execPath, [path.join(project, file), "id", user], { env });
  for (const user of ["' OR '1'='1", "o'brien"]) await run(user);
  const { results } = (await database.prepare("SELECT user_id FROM run_total").all()) as { results: object[] };
  expect(results).toEqual([{ user_id: null }, { user_id: null }, { user_id: "anna" }]);
  expect(received).toEqual(Array(2).fill("/accounts/account/d1/database/id/query Bearer token"));
});
