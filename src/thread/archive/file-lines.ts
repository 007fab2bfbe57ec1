// A thread's folders and files as lines, each file's bytes behind it, read when they are wanted. A file that changes while it
// is read is taken back and begun again.

import { ThreadholdError } from "#contract/error.ts";
import { chunkBytes } from "#core/archive/archive-line.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import type { ArchivedFile } from "#core/archive/archive-record.ts";
import { carriedOf } from "#core/archive/fate.ts";
import type { Fate } from "#core/archive/fate.ts";
import { inChunks, piecesOf } from "#store/files/byte-pieces.ts";
import { joined } from "#store/files/file-path.ts";
import { openBytes } from "#store/files/file-reader.ts";
import type { FileReaderParts } from "#store/files/file-reader.ts";
import type { FileBodyRecord, FileRow } from "#store/files/file-rows.ts";

/** Entries of a folder that are read at once. */
const page = 100;

/** Times a file is begun; one that changes faster than it can be read is left out. */
const attempts = 3;

/** What files are read with. */
export interface FileLinesParts extends FileReaderParts {
  /** Whether the file with a tag is one of a message that is not in the export: it is left out. */
  isLate: (tag: string) => boolean;
}

/** The lines of a folder's entries, and of all below it; every folder before what it holds. */
export async function* fileLines(parts: FileLinesParts, folder = "/"): AsyncGenerator<ArchiveLine> {
  for (let after: string | null = null; ;) {
    const rows = parts.rows.children(folder, { after, limit: page });
    for (const row of rows) {
      if (row.is_folder) yield* oneFolder(parts, row);
      else if (!parts.isLate(row.body.tag)) yield* oneFile(parts, row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.name;
  }
}

/** A folder that only its entries made is there with the first of them. */
async function* oneFolder(parts: FileLinesParts, row: FileRow): AsyncGenerator<ArchiveLine> {
  let isTold = row.body.implied !== true;
  if (isTold) yield folderLine(row);
  for await (const line of fileLines(parts, joined(row.parent, row.name))) {
    if (!isTold) yield folderLine(row);
    isTold = true;
    yield line;
  }
}

function folderLine({ parent, name, body }: FileRow): ArchiveLine {
  const { implied = false, created_at, updated_at } = body;
  return { type: "folder", folder: { path: joined(parent, name), implied, created_at, updated_at } };
}

async function* oneFile(parts: FileReaderParts, found: FileRow): AsyncGenerator<ArchiveLine> {
  let row: FileRow | null = found;
  for (let attempt = 1; row !== null && !row.is_folder; attempt += 1) {
    yield { type: "file", file: archivedFile(row) };
    if (row.body.place?.type === "external") return;
    try {
      yield* chunkLines(parts, row);
      return;
    } catch (thrown) {
      // `conflict` is the reader's word for a file that is another one now.
      if (!(thrown instanceof ThreadholdError) || thrown.code !== "conflict") throw thrown;
    }
    yield { type: "void" };
    row = attempt === attempts ? null : parts.rows.find(row.parent, row.name);
  }
}

async function* chunkLines(parts: FileReaderParts, row: FileRow): AsyncGenerator<ArchiveLine> {
  const body = await openBytes(parts, row);
  for await (const bytes of inChunks(piecesOf(body), chunkBytes)) {
    yield { type: "chunk", bytes };
  }
}

/** Where its bytes lie is the importing deployment's own affair, unless it is outside of both: then the address is carried. */
const fileFate = {
  mime_type: "carried",
  metadata: "carried",
  width: "carried",
  height: "carried",
  created_at: "carried",
  updated_at: "carried",
  place: "anew",
  tag: "anew",
  // Of folders.
  implied: "left",
} as const satisfies Record<keyof FileBodyRecord, Fate>;

function archivedFile({ parent, name, size, body }: FileRow): ArchivedFile {
  const { place } = body;
  return {
    path: joined(parent, name),
    size,
    ...carriedOf(body, fileFate),
    ...(place?.type === "external" ? { url: place.url } : {}),
  };
}
