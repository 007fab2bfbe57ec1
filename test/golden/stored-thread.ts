// Threads as a release stored them: tables, rows, and the API's answers at that time. One file for each schema and state is kept and
// never rewritten, so that later releases are tested against it.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";

import { crash } from "../thread/thread-driver.ts";

type Column = string | number | null | { base64: string };

/** A stored thread. */
export interface StoredThread {
  id: string;
  owner: string;
  /** The time of the thread's clock, in milliseconds. */
  at: number;
  alarm: number | null;
  /** The statements that create the tables. */
  tables: string[];
  rows: { table: string; row: Record<string, Column> }[];
  /** API answers by path. Empty for an interrupted run, which any request would resume. */
  answers: Record<string, unknown>;
}

/** Paths of the stored answers, relative to the thread. */
export const keptPaths = ["", "/messages?include_silent=true", "/runs?order=asc", "/queue"];

const objectOf = (id: string): DurableObjectStub => env.THREADS.get(env.THREADS.idFromName(id));

/** Reads a thread's storage directly, without a request to its object. */
export async function readStored(id: string, owner: string, at: number): Promise<StoredThread> {
  const stored = await runInDurableObject(objectOf(id), async (_, { storage }) => {
    const tables = storage.sql
      .exec<{ name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
      )
      .toArray();
    const rows = tables.flatMap(({ name: table }) =>
      storage.sql
        .exec(`SELECT * FROM "${table}" ORDER BY 1, 2`)
        .toArray()
        .map((row) => ({ table, row: mapped(row, kept) })),
    );
    return { tables: tables.map(({ sql }) => sql), rows, alarm: await storage.getAlarm() };
  });
  return { id, owner, at, answers: {}, ...stored };
}

/** Writes the rows into the storage of the object with the thread's id. */
export async function restore({ id, alarm, tables, rows }: StoredThread): Promise<void> {
  await runInDurableObject(objectOf(id), async (_, { storage }) => {
    for (const sql of tables) storage.sql.exec(sql);
    for (const { table, row } of rows) {
      const names = Object.keys(row);
      const values = Object.values(mapped(row, (value) => value as Column)).map(given);
      const list = names.map((name) => `"${name}"`).join();
      storage.sql.exec(`INSERT INTO "${table}" (${list}) VALUES (${names.map(() => "?").join()})`, ...values);
    }
    if (alarm !== null) await storage.setAlarm(alarm);
  });
  // An object reads its storage when it is constructed.
  await crash(id);
}

/** Serializes a thread as lines of JSON: the thread, then each table, row and answer. */
export function toLines({ tables, rows, answers, ...thread }: StoredThread): string {
  const lines = [
    { thread },
    ...tables.map((table) => ({ table })),
    ...rows.map((row) => ({ row })),
    ...Object.entries(answers).map(([path, answer]) => ({ path, answer })),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  // A stack names folders of the machine that wrote it.
  if (text.includes('"stack"')) throw new Error("A thread with a stack in its log cannot be stored as a fixture.");
  return text;
}

/** Parses such lines. */
export function fromLines(text: string): StoredThread {
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  const { thread } = lines[0] ?? {};
  if (thread === undefined) throw new Error("The file holds no thread.");
  return {
    ...thread,
    tables: lines.flatMap(({ table }) => (table === undefined ? [] : [table])),
    rows: lines.flatMap(({ row }) => (row === undefined ? [] : [row])),
    answers: Object.fromEntries(lines.flatMap(({ path, answer }) => (path === undefined ? [] : [[path, answer]]))),
  };
}

interface Line {
  thread?: Omit<StoredThread, "tables" | "rows" | "answers">;
  table?: string;
  row?: StoredThread["rows"][number];
  path?: string;
  answer?: unknown;
}

/** Address of a stored file, or of the list of all files. */
export const keptFile = (name = ""): string => `${inject("golden").url}/stored/${name}`;

function mapped<T>(row: Record<string, unknown>, as: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, as(value)]));
}

function kept(value: unknown): Column {
  if (!(value instanceof ArrayBuffer)) return value as Column;
  return { base64: btoa(String.fromCharCode(...new Uint8Array(value))) };
}

function given(value: Column): string | number | null | ArrayBuffer {
  if (typeof value !== "object" || value === null) return value;
  return Uint8Array.from(atob(value.base64), (character) => character.charCodeAt(0)).buffer;
}
