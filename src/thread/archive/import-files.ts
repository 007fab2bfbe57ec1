// Writes the folders and files of an import. Bytes go where this deployment keeps files of their size, a piece at a time; what
// a file says of itself is held against what comes.

import { refuse } from "#contract/error.ts";
import { chunkBytes } from "#core/archive/archive-line.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import type { ArchivedFile, ArchivedFolder } from "#core/archive/archive-record.ts";
import type { Clock } from "#core/ports/clock.ts";
import { readTarget } from "#lib/outbound/target.ts";
import { filePath, foldersAbove } from "#store/files/file-path.ts";
import type { FilePath } from "#store/files/file-path.ts";
import type { FileRows } from "#store/files/file-rows.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";
import { folderRow, makeFolders } from "#store/files/file-writer.ts";

import { Misfit } from "./import-checks.ts";

/** What they are written with. */
export interface ImportFilesParts {
  rows: FileRows;
  /** The thread's files, telling nobody. */
  files: ManagedThreadFiles;
  clock: Clock;
}

/** Thrown inside a write to take the file back. */
class Voided extends Error {}

/** One per import. */
export class ImportFiles {
  readonly #parts: ImportFilesParts;

  constructor(parts: ImportFilesParts) {
    this.#parts = parts;
  }

  folder({ path, implied, created_at, updated_at }: ArchivedFolder): void {
    const { rows } = this.#parts;
    const at = this.#free(path);
    const row = folderRow(at, { now: created_at, implied });
    rows.put({ ...row, body: { ...row.body, updated_at } }, null);
  }

  /** Writes a file whose bytes `next` gives. False when it was taken back. */
  async file(file: ArchivedFile, next: () => Promise<ArchiveLine>): Promise<boolean> {
    const { rows, files } = this.#parts;
    const { path, size, mime_type: mimeType, url, metadata, width, height, created_at, updated_at } = file;
    const at = this.#free(path);
    const facts = { mimeType, metadata, width, height };
    if (url !== undefined) {
      checkOutside(url);
      await files.link(path, url, { ...facts, size });
    } else {
      if (size > files.limit) {
        throw refuse("too_large", `${path} has ${size} bytes; a file has at most ${files.limit} here.`, {
          limit: files.limit,
        });
      }
      try {
        await files.write(path, bytesOf(file, next), facts);
      } catch (thrown) {
        if (thrown instanceof Voided) return false;
        throw thrown;
      }
    }
    // The writer knows only the time it wrote at.
    const row = rows.find(at.parent, at.name);
    if (row === null) throw refuse("internal", `${path} was written and is not there.`);
    const bytes = row.body.place?.type === "row" ? rows.bytes(at.parent, at.name) : null;
    rows.put({ ...row, body: { ...row.body, created_at, updated_at } }, bytes);
    return true;
  }

  /** The place, its folders made. Throws where the path is not in its one spelling, or something is there. */
  #free(path: string): FilePath {
    const { rows, clock } = this.#parts;
    const at = filePath(path);
    if (at.path !== path || at.name === "") throw new Misfit(`has a path that is not written as paths are: ${at.path}`);
    if (rows.find(at.parent, at.name) !== null) throw new Misfit(`has ${path} again`);
    for (const above of foldersAbove(at)) {
      if (rows.find(above.parent, above.name)?.is_folder === false) {
        throw new Misfit(`has ${path} below ${above.path}, which is a file`);
      }
    }
    rows.transaction(() => makeFolders(rows, at, { now: clock.now(), implied: true }));
    return at;
  }
}

/** The bytes of the chunks behind a file's line: as many as it says, or an error. */
function bytesOf({ path, size }: ArchivedFile, next: () => Promise<ArchiveLine>): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (left === 0) {
          controller.close();
          return;
        }
        const line = await next();
        if (line.type === "void") throw new Voided("taken back");
        if (line.type !== "chunk") throw new Misfit(`stands where ${left} more bytes of ${path} should`);
        const { bytes } = line;
        if (bytes.byteLength === 0) throw new Misfit("has no bytes");
        if (bytes.byteLength > Math.min(left, chunkBytes))
          throw new Misfit(`has more bytes than ${path} may still have`);
        left -= bytes.byteLength;
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Nothing is fetched from there; but an address inside would be one more way to learn what lies there, should it ever be. */
function checkOutside(url: string): void {
  const answer = readTarget(url, []);
  if (!answer.ok && answer.problem !== "scheme") throw new Misfit("has an address that may not be asked");
}
