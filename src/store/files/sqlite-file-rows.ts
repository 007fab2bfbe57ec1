// The rows of files in the object's SQLite. Bytes are BLOBs and never pass through JSON. Reading the row of a file or folder does not
// read its bytes.

import { refuse } from "#contract/error.ts";

import type { MeteredStorage } from "../meter.ts";
import { decodeBody, encodeBody } from "../row-body.ts";
import { joined } from "./file-path.ts";
import type { FileBodyRecord, FileRow, FileRows, Garbage, TreeSize } from "./file-rows.ts";

/** Maximal chunks of one generation. */
const generationSize = 65_536;

interface StoredRow extends Record<string, SqlStorageValue> {
  parent: string;
  name: string;
  is_folder: number;
  size: number;
  body: string;
}

const columns = "parent, name, is_folder, size, body";

/** The condition for the entries below a folder, and its values. `0` is the character after `/`. */
const below = "(parent = ? OR (parent >= ? AND parent < ?))";

function spanBelow(path: string): string[] {
  return [path, `${path}/`, `${path}0`];
}

/** Creates the rows of one object, without access to the storage. `gone` is called before each access; if true, the thread is deleted. */
export function sqliteFileRows(storage: MeteredStorage, gone: () => boolean): FileRows {
  const run = <T extends Record<string, SqlStorageValue>>(query: string, ...values: unknown[]): T[] => {
    if (gone()) throw refuse("thread_not_found", "There is no such thread.");
    return storage.sql.exec<T>(query, ...values).toArray();
  };
  const rows = (query: string, ...values: unknown[]) => run<StoredRow>(query, ...values).map(fileRow);
  const blob = (query: string, ...values: unknown[]): Uint8Array | null => {
    const bytes = run<{ bytes: ArrayBuffer | null }>(query, ...values)[0]?.bytes;
    // Copied, because the engine does not count the memory of a BLOB from SQLite: streaming a large file would accumulate hundreds of
    // megabytes before the next garbage collection. Memory that the engine allocates itself is counted and collected in time.
    return bytes == null ? null : new Uint8Array(bytes).slice();
  };
  const key = (generation: number, number: number) => generation * generationSize + number;

  return {
    transaction: (work) => storage.transactionSync(work),
    find: (parent, name) => rows(`SELECT ${columns} FROM file WHERE parent = ? AND name = ?`, parent, name)[0] ?? null,
    put({ parent, name, is_folder, size, body }, bytes) {
      run(
        `INSERT INTO file (${columns}, bytes) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (parent, name) DO UPDATE SET ` +
          "is_folder = excluded.is_folder, size = excluded.size, body = excluded.body, bytes = excluded.bytes, " +
          "thumbnail = NULL",
        parent,
        name,
        is_folder ? 1 : 0,
        size,
        encodeBody("file", body),
        bytes,
      );
    },
    remove: (parent, name) => void run("DELETE FROM file WHERE parent = ? AND name = ?", parent, name),
    bytes: (parent, name) => blob("SELECT bytes FROM file WHERE parent = ? AND name = ?", parent, name),
    thumbnail: (parent, name) =>
      blob("SELECT thumbnail AS bytes FROM file WHERE parent = ? AND name = ?", parent, name),
    keepThumbnail: (parent, name, bytes) =>
      void run("UPDATE file SET thumbnail = ? WHERE parent = ? AND name = ?", bytes, parent, name),
    children: (parent, { after, limit }) =>
      rows(
        `SELECT ${columns} FROM file WHERE parent = ? AND name > ? ORDER BY name LIMIT ?`,
        parent,
        after ?? "",
        limit,
      ),
    files: ({ from, to }, { after, limit }) =>
      rows(
        `SELECT ${columns} FROM file WHERE (parent, name) > (?, ?) AND parent < coalesce(?, x'') AND is_folder = 0 ` +
          "ORDER BY parent, name LIMIT ?",
        after?.parent ?? from,
        after?.name ?? "",
        to,
        limit,
      ),
    tree(path) {
      const [row] = run<Record<keyof TreeSize, number>>(
        "SELECT count(*) AS entries, coalesce(sum(length(bytes)), 0) AS rowBytes, " +
          "coalesce(max(octet_length(parent) + 1 + octet_length(name)), 0) AS longestPath, " +
          `coalesce(max(length(parent) - length(replace(parent, '/', '')) + 1), 0) AS depth FROM file WHERE ${below}`,
        ...spanBelow(path),
      );
      return row ?? { entries: 0, rowBytes: 0, longestPath: 0, depth: 0 };
    },
    moveTree(from, to) {
      const [before, after] = [joined(from.parent, from.name), joined(to.parent, to.name)];
      run(
        `UPDATE file SET parent = ? || substr(parent, length(?) + 1) WHERE ${below}`,
        after,
        before,
        ...spanBelow(before),
      );
      run(
        "UPDATE file SET parent = ?, name = ? WHERE parent = ? AND name = ?",
        to.parent,
        to.name,
        from.parent,
        from.name,
      );
    },
    removeTree: (path) => void run(`DELETE FROM file WHERE ${below}`, ...spanBelow(path)),
    writtenAfter(at) {
      const written = "SELECT count(*) AS n FROM file WHERE is_folder = 0 AND json_extract(body, '$.updated_at') > ?";
      return run<{ n: number }>(written, at)[0]?.n ?? 0;
    },
    totals() {
      const [row] = run<{ files: number; folders: number; bytes: number }>(
        "SELECT coalesce(sum(1 - is_folder), 0) AS files, coalesce(sum(is_folder), 0) AS folders, " +
          "coalesce(sum(size), 0) AS bytes FROM file",
      );
      return row ?? { files: 0, folders: 0, bytes: 0 };
    },
    filled: () => storage.sql.databaseSize,
    putChunk: (generation, number, bytes) =>
      void run("INSERT INTO file_chunk (id, bytes) VALUES (?, ?)", key(generation, number), bytes),
    chunk: (generation, number) => blob("SELECT bytes FROM file_chunk WHERE id = ?", key(generation, number)),
    dropChunks: (generation) =>
      void run("DELETE FROM file_chunk WHERE id >= ? AND id < ?", key(generation, 0), key(generation + 1, 0)),
    lastGeneration() {
      const [row] = run<{ chunk: number | null; garbage: number | null }>(
        "SELECT (SELECT max(id) FROM file_chunk) AS chunk, (SELECT max(generation) FROM file_garbage) AS garbage",
      );
      return Math.max(Math.floor((row?.chunk ?? 0) / generationSize), row?.garbage ?? 0);
    },
    addGarbage: ({ generation, bucket_key }) =>
      void run("INSERT OR REPLACE INTO file_garbage (generation, bucket_key) VALUES (?, ?)", generation, bucket_key),
    removeGarbage: (generation) => void run("DELETE FROM file_garbage WHERE generation = ?", generation),
    garbage: () =>
      run<Record<string, SqlStorageValue> & Garbage>(
        "SELECT generation, bucket_key FROM file_garbage ORDER BY generation",
      ).map(({ generation, bucket_key }) => ({ generation, bucket_key })),
  };
}

function fileRow({ parent, name, is_folder, size, body }: StoredRow): FileRow {
  return { parent, name, is_folder: is_folder === 1, size, body: decodeBody<FileBodyRecord>(body) };
}
