// The file methods of ThreadState (Standard Agents, threads), over the thread's files. Definitions may be plain JavaScript, so
// arguments are checked at run time.

import { refuse } from "#contract/error.ts";
import { jsonObjectSchema } from "#contract/json.ts";
import type { FileFacts, ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { ReadFileStreamOptions, ThreadState, WriteFileOptions } from "#spec/index.ts";

/** The file methods of ThreadState. */
export type FileState = Pick<
  ThreadState,
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
    readFileStream: async (path, options) => files.chunks(path, signalOf(options)),
    statFile: (path) => files.stat(path),
    readdirFile: async (path) => ({ entries: await files.list(path) }),
    unlinkFile: (path) => files.remove(path),
    mkdirFile: (path) => files.makeFolder(path),
    rmdirFile: (path) => files.removeFolder(path),
    getFileStats: () => files.stats(),
    grepFiles: async (pattern) => (await files.grep(pattern)).results,
    findFiles: async (pattern) => ({ paths: (await files.find(pattern)).paths }),
    async getFileThumbnail(path) {
      const bytes = await files.thumbnail(path);
      return bytes === null ? null : bufferOf(bytes);
    },
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

function signalOf(options: ReadFileStreamOptions | null | undefined): AbortSignal | undefined {
  const signal: unknown = options?.signal;
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw refuse("invalid_request", "readFileStream takes an AbortSignal as `signal`.");
}

/** The bytes as an ArrayBuffer. The array is not used elsewhere, so a buffer of the same length needs no copy. */
function bufferOf(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  const isExact = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isExact ? buffer : bytes.slice().buffer;
}
