// Yields a thread's folders and files as lines of an export, each file followed by its bytes in chunks. Bytes are read only when the next
// line is requested. If a file changes while it is read, a `void` line revokes the file's lines, and the file is read again.

import { ThreadholdError } from "#contract/error.ts";
import { chunkBytes } from "#core/archive/archive-line.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import type { ArchivedFile } from "#core/archive/archive-record.ts";
import { carriedOf } from "#core/archive/export-policy.ts";
import type { ExportPolicy } from "#core/archive/export-policy.ts";
import { inChunks, piecesOf } from "#store/files/byte-pieces.ts";
import { joined } from "#store/files/file-path.ts";
import { openBytes } from "#store/files/file-reader.ts";
import type { FileReaderParts } from "#store/files/file-reader.ts";
import type { FileBodyRecord, FileRow } from "#store/files/file-rows.ts";

/** The number of a folder's entries that one query reads. */
const page = 100;

/** Attempts to read a file. A file that changes during each of them is left out. */
const attempts = 3;

/** Dependencies of `fileLines`. */
export interface FileLinesParts extends FileReaderParts {
  /** Whether the file with this tag belongs to a message that is not in the export. Such a file is left out. */
  isLate: (tag: string) => boolean;
}

/** The lines of all entries below a folder. The line of a folder comes before those of its entries. */
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

/** The lines of a folder. An implied folder exists only because of its entries, so it is left out if none of them is exported. */
async function* oneFolder(parts: FileLinesParts, row: FileRow): AsyncGenerator<ArchiveLine> {
  let isWritten = row.body.implied !== true;
  if (isWritten) yield folderLine(row);
  for await (const line of fileLines(parts, joined(row.parent, row.name))) {
    if (!isWritten) yield folderLine(row);
    isWritten = true;
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
      // The file reader throws `conflict` if the file was replaced since it was opened.
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

/**
 * What an export does with each field. The importing deployment chooses where bytes are stored. Of `place`, only a linked file's URL is
 * exported.
 */
const filePolicies = {
  mime_type: "carried",
  metadata: "carried",
  width: "carried",
  height: "carried",
  created_at: "carried",
  updated_at: "carried",
  place: "replaced",
  tag: "replaced",
  // Only folders have this field.
  implied: "omitted",
} as const satisfies Record<keyof FileBodyRecord, ExportPolicy>;

function archivedFile({ parent, name, size, body }: FileRow): ArchivedFile {
  const { place } = body;
  return {
    path: joined(parent, name),
    size,
    ...carriedOf(body, filePolicies),
    ...(place?.type === "external" ? { url: place.url } : {}),
  };
}
