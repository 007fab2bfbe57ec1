// The file methods of ThreadState (Standard Agents, threads), over the thread's files. Definitions may be plain JavaScript, so
// arguments are checked at run time.

import { refuse } from "#contract/error.ts";
import { jsonObjectSchema } from "#contract/json.ts";
import type { FileEdit, FileFacts, ThreadFiles, WriteCheck } from "#core/ports/thread-file-port.ts";
import { mediaTypeOfName } from "#lib/media-type.ts";
import type {
  ExtendedThreadState,
  FileEdit as SpecEdit,
  FileRecord,
  ReadFileStreamOptions,
  WriteFileOptions,
} from "#spec/index.ts";

/** The file methods of ThreadState. */
export type FileState = Pick<
  ExtendedThreadState,
  | "writeFile"
  | "readFile"
  | "readFileStream"
  | "statFile"
  | "readdirFile"
  | "unlinkFile"
  | "mkdirFile"
  | "rmdirFile"
  | "getFileStats"
  | "grepFiles"
  | "findFiles"
  | "getFileThumbnail"
  | "moveFile"
  | "writeFiles"
  | "searchFiles"
  | "listFiles"
>;

/** Creates the methods over the files of a thread. */
export function fileState(files: ThreadFiles): FileState {
  return {
    // oxlint-disable-next-line eslint/max-params -- the document's signature
    writeFile: async (path, data, mimeType, options) =>
      files.write(path, bytesOf(data), factsOf(mimeType, options ?? {})),
    async readFile(path) {
      const bytes = await files.read(path);
      return bytes === null ? null : bufferOf(bytes);
    },
    readFileStream: async (path, options) => files.chunks(path, signalOf(options, "readFileStream")),
    statFile: (path) => files.stat(path),
    readdirFile: async (path) => ({ entries: await files.list(path) }),
    unlinkFile: (path) => files.remove(path),
    mkdirFile: (path) => files.makeFolder(path),
    rmdirFile: (path) => files.removeFolder(path),
    getFileStats: () => files.stats(),
    grepFiles: async (pattern) => (await files.grep(pattern)).results,
    findFiles: async (pattern) => ({ paths: (await files.find(pattern)).paths }),
    moveFile: (from, to) => files.move(from, to),
    writeFiles: async (edits, options) => files.edit(edits.map(editOf), signalOf(options, "writeFiles")),
    searchFiles: (pattern, options) => files.grep(pattern, options ?? {}),
    listFiles: (glob, options) => files.find(glob, options ?? {}),
    async getFileThumbnail(path) {
      const bytes = await files.thumbnail(path);
      return bytes === null ? null : bufferOf(bytes);
    },
  };
}

function editOf(edit: SpecEdit): FileEdit {
  if ("folder" in edit) return { type: "folder", path: edit.folder };
  if ("move" in edit) return { type: "move", from: edit.move, path: edit.to };
  if ("delete" in edit) return { type: "remove", path: edit.delete };
  const { path, data, mimeType, expected, ...options } = edit;
  const facts = factsOf(mimeType ?? mediaTypeOfName(String(path)), options);
  return {
    type: "write",
    path,
    body: bytesOf(data),
    facts: expected === undefined ? facts : { ...facts, check: unchangedSince(path, expected) },
  };
}

/** Returns a check that a path still has the file `expected`, or no file for null. Each write sets a later `updatedAt`. */
function unchangedSince(path: string, expected: FileRecord | null): WriteCheck {
  return (existing) => {
    const current = existing?.record;
    if (current?.updatedAt === expected?.updatedAt && current?.size === expected?.size) return;
    throw refuse(
      "conflict",
      `${path} was changed after it was read. Read it again, and make the change on its current content.`,
    );
  };
}

function bytesOf(data: unknown): string | Uint8Array {
  if (typeof data === "string") return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw refuse("invalid_request", "writeFile takes its data as a string, an ArrayBuffer or a typed array.");
}

function factsOf(mimeType: unknown, { metadata, width, height }: WriteFileOptions): FileFacts {
  if (typeof mimeType !== "string" || !/^[\w.+-]+\/[\w.+-]+( *;[\x20-\x7e]*)?$/.test(mimeType)) {
    throw refuse("invalid_request", 'writeFile takes a MIME type such as "text/plain" as its third argument.');
  }
  const kept = jsonObjectSchema.safeParse(metadata ?? {});
  if (!kept.success) throw refuse("invalid_request", "A file's metadata must be a JSON object.");
  return {
    mimeType,
    ...(metadata === undefined ? {} : { metadata: kept.data }),
    width: pixels(width, "width"),
    height: pixels(height, "height"),
  };
}

function pixels(value: unknown, field: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw refuse("invalid_request", `A file's ${field} must be a whole number of pixels.`);
}

function signalOf(options: ReadFileStreamOptions | null | undefined, method: string): AbortSignal | undefined {
  const signal: unknown = options?.signal;
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw refuse("invalid_request", `${method} takes an AbortSignal as \`signal\`.`);
}

/** The bytes as an ArrayBuffer. The array is not used elsewhere, so a buffer of the same length needs no copy. */
function bufferOf(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  const isExact = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isExact ? buffer : bytes.slice().buffer;
}
