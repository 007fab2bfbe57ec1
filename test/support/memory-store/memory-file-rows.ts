// File rows in memory for tests, the counterpart of those in SQLite.

import type { FileRow, FileRows, Garbage } from "#store/files/file-rows.ts";

interface Kept {
  row: FileRow;
  bytes: Uint8Array | null;
  thumbnail: Uint8Array | null;
}

interface State {
  files: Map<string, Kept>;
  chunks: Map<number, Map<number, Uint8Array>>;
  garbage: Map<number, Garbage>;
}

/** File rows that belong to no thread. */
export function memoryFileRows(): FileRows {
  let state: State = { files: new Map(), chunks: new Map(), garbage: new Map() };
  const key = (parent: string, name: string) => `${parent}\u0000${name}`;
  const sorted = () =>
    [...state.files.values()]
      .map(({ row }) => row)
      .sort((left, right) => compare(left.parent, right.parent) || compare(left.name, right.name));

  const below = (path: string) =>
    [...state.files.values()].filter(({ row }) => row.parent === path || row.parent.startsWith(`${path}/`));

  return {
    transaction(work) {
      const before = copied(state);
      try {
        return work();
      } catch (thrown) {
        state = before;
        throw thrown;
      }
    },
    find: (parent, name) => structuredClone(state.files.get(key(parent, name))?.row ?? null),
    put(row, bytes) {
      const kept = { row: structuredClone(row), bytes: bytes?.slice() ?? null, thumbnail: null };
      state.files.set(key(row.parent, row.name), kept);
    },
    remove: (parent, name) => void state.files.delete(key(parent, name)),
    bytes: (parent, name) => state.files.get(key(parent, name))?.bytes?.slice() ?? null,
    thumbnail: (parent, name) => state.files.get(key(parent, name))?.thumbnail?.slice() ?? null,
    keepThumbnail(parent, name, bytes) {
      const kept = state.files.get(key(parent, name));
      if (kept !== undefined) kept.thumbnail = bytes.slice();
    },
    children: (parent, { after, limit }) =>
      sorted()
        .filter((row) => row.parent === parent && (after === null || compare(row.name, after) > 0))
        .slice(0, limit)
        .map((row) => structuredClone(row)),
    files: ({ from, to }, { after, limit }) =>
      sorted()
        .filter((row) => compare(row.parent, from) >= 0 && (to === null || compare(row.parent, to) < 0))
        .filter((row) => !row.is_folder && (after === null || isBehind(row, after)))
        .slice(0, limit)
        .map((row) => structuredClone(row)),
    tree(path) {
      const all = below(path);
      const paths = all.map(({ row }) => `${row.parent}/${row.name}`);
      return {
        entries: all.length,
        rowBytes: all.reduce((sum, { bytes }) => sum + (bytes?.byteLength ?? 0), 0),
        longestPath: Math.max(0, ...paths.map((each) => encoder.encode(each).byteLength)),
        depth: Math.max(0, ...paths.map((each) => each.split("/").length - 1)),
      };
    },
    moveTree(from, to) {
      const [before, after] = [
        `${from.parent === "/" ? "" : from.parent}/${from.name}`,
        `${to.parent === "/" ? "" : to.parent}/${to.name}`,
      ];
      const moved = below(before);
      const entry = state.files.get(key(from.parent, from.name));
      for (const { row } of [...moved, ...(entry === undefined ? [] : [entry])]) {
        state.files.delete(key(row.parent, row.name));
      }
      for (const kept of moved) {
        const row = { ...kept.row, parent: after + kept.row.parent.slice(before.length) };
        state.files.set(key(row.parent, row.name), { ...kept, row });
      }
      if (entry !== undefined) state.files.set(key(to.parent, to.name), { ...entry, row: { ...entry.row, ...to } });
    },
    removeTree(path) {
      for (const { row } of below(path)) state.files.delete(key(row.parent, row.name));
    },
    writtenAfter: (at) => sorted().filter(({ is_folder, body }) => !is_folder && body.updated_at > at).length,
    totals() {
      const rows = sorted();
      const folders = rows.filter(({ is_folder }) => is_folder).length;
      const bytes = rows.reduce((sum, { size }) => sum + size, 0);
      return { files: rows.length - folders, folders, bytes };
    },
    filled() {
      const inRows = [...state.files.values()].map(({ bytes }) => bytes?.byteLength ?? 0);
      const inChunks = [...state.chunks.values()].flatMap((chunks) =>
        [...chunks.values()].map((one) => one.byteLength),
      );
      return [...inRows, ...inChunks].reduce((sum, one) => sum + one, 0);
    },
    putChunk(generation, number, bytes) {
      const chunks = state.chunks.get(generation) ?? new Map<number, Uint8Array>();
      chunks.set(number, bytes.slice());
      state.chunks.set(generation, chunks);
    },
    chunk: (generation, number) => state.chunks.get(generation)?.get(number)?.slice() ?? null,
    dropChunks: (generation) => void state.chunks.delete(generation),
    lastGeneration: () => Math.max(0, ...state.chunks.keys(), ...state.garbage.keys()),
    addGarbage: (garbage) => void state.garbage.set(garbage.generation, { ...garbage }),
    removeGarbage: (generation) => void state.garbage.delete(generation),
    garbage: () => [...state.garbage.values()].sort((left, right) => left.generation - right.generation),
  };
}

function copied({ files, chunks, garbage }: State): State {
  return {
    files: new Map([...files].map(([key, kept]) => [key, { ...kept }])),
    chunks: new Map([...chunks].map(([generation, list]) => [generation, new Map(list)])),
    garbage: new Map(garbage),
  };
}

function isBehind(row: FileRow, after: Pick<FileRow, "parent" | "name">): boolean {
  return (compare(row.parent, after.parent) || compare(row.name, after.name)) > 0;
}

const encoder = new TextEncoder();

/** Compares texts like SQLite: byte by byte in UTF-8. */
function compare(left: string, right: string): number {
  const [a, b] = [encoder.encode(left), encoder.encode(right)];
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
