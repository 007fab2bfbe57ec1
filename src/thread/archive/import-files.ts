// Writes the folders and files of an import, a piece at a time. The size of a file decides where this deployment stores its bytes. The
// bytes that arrive have to match the size that the file's line states.

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

import { InvalidLine } from "./import-checks.ts";

/** Dependencies of `ImportFiles`. */
export interface ImportFilesParts {
  rows: FileRows;
  /** The thread's files. Writes to them emit no events. */
  files: ManagedThreadFiles;
  clock: Clock;
}

/** Thrown inside a write when a `void` line revokes the file. */
class FileVoided extends Error {}

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

  /** Writes a file. `next` returns the lines with its bytes. Returns false if a `void` line revoked the file. */
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
        if (thrown instanceof FileVoided) return false;
        throw thrown;
      }
    }
    // The write set the current time. The file gets its original times back.
    const row = rows.find(at.parent, at.name);
    if (row === null) throw refuse("internal", `${path} was written and is not there.`);
    const bytes = row.body.place?.type === "row" ? rows.bytes(at.parent, at.name) : null;
    rows.put({ ...row, body: { ...row.body, created_at, updated_at } }, bytes);
    return true;
  }

  /** Creates the folders above a path and returns the path. Throws if the path is not normalised, or if it has an entry already. */
  #free(path: string): FilePath {
    const { rows, clock } = this.#parts;
    const at = filePath(path);
    if (at.path !== path || at.name === "")
      throw new InvalidLine(`has a path that is not written as paths are: ${at.path}`);
    if (rows.find(at.parent, at.name) !== null) throw new InvalidLine(`has ${path} again`);
    for (const above of foldersAbove(at)) {
      if (rows.find(above.parent, above.name)?.is_folder === false) {
        throw new InvalidLine(`has ${path} below ${above.path}, which is a file`);
      }
    }
    rows.transaction(() => makeFolders(rows, at, { now: clock.now(), implied: true }));
    return at;
  }
}

/** The bytes of the chunks after a file's line. Throws unless they have the size that the line states. */
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
        if (line.type === "void") throw new FileVoided("taken back");
        if (line.type !== "chunk") throw new InvalidLine(`stands where ${left} more bytes of ${path} should`);
        const { bytes } = line;
        if (bytes.byteLength === 0) throw new InvalidLine("has no bytes");
        if (bytes.byteLength > Math.min(left, chunkBytes))
          throw new InvalidLine(`has more bytes than ${path} may still have`);
        left -= bytes.byteLength;
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Throws for the URL of an internal address. URLs of linked files are never fetched; the check is a second protection. */
function checkOutside(url: string): void {
  const answer = readTarget(url, []);
  if (!answer.ok && answer.problem !== "scheme") throw new InvalidLine("has an address that may not be asked");
}
