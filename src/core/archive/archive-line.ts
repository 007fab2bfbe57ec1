// The lines of an export behind its header. They come in the order of `lineOrder`; bytes of a file right behind its line.

import { z } from "zod";

import {
  archivedBranchSchema,
  archivedEventSchema,
  archivedFileSchema,
  archivedFolderSchema,
  archivedLogSchema,
  archivedMessageSchema,
  archivedRunSchema,
  archivedThreadSchema,
} from "./archive-record.ts";

/** Bytes of a line, its end not counted. A row has at most 1,900,000. */
export const lineLimit = 2 * 1024 * 1024;

/** Bytes of a file that one line carries, as base64; a multiple of three. */
export const chunkBytes = 786_432;

const count = z.number().int().nonnegative();

/** How many of each there were. */
const archiveCountsSchema = z.strictObject({
  branches: count,
  runs: count,
  messages: count,
  logs: count,
  events: count,
  folders: count,
  files: count,
  /** Bytes of the files. */
  file_bytes: count,
});
export type ArchiveCounts = z.infer<typeof archiveCountsSchema>;

/** None yet. */
export function noCounts(): ArchiveCounts {
  return { branches: 0, runs: 0, messages: 0, logs: 0, events: 0, folders: 0, files: 0, file_bytes: 0 };
}

/** The last line. Without it the file is not whole. */
const archiveEndSchema = z.strictObject({
  type: z.literal("end"),
  counts: archiveCountsSchema,
  /** SHA-256 of every byte before this line, in hexadecimal digits. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
});

/** A line behind the header. */
export const archiveLineSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("thread"), thread: archivedThreadSchema }),
  z.strictObject({ type: z.literal("branch"), branch: archivedBranchSchema }),
  z.strictObject({ type: z.literal("run"), run: archivedRunSchema }),
  z.strictObject({ type: z.literal("message"), message: archivedMessageSchema }),
  z.strictObject({ type: z.literal("log"), log: archivedLogSchema }),
  z.strictObject({ type: z.literal("event"), event: archivedEventSchema }),
  z.strictObject({ type: z.literal("folder"), folder: archivedFolderSchema }),
  z.strictObject({ type: z.literal("file"), file: archivedFileSchema }),
  /** A piece of the file above: base64 of `chunkBytes` at most. */
  z.strictObject({ type: z.literal("chunk"), data: z.string() }),
  /** The file above changed while it was read: what came of it counts for nothing. */
  z.strictObject({ type: z.literal("void") }),
  archiveEndSchema,
]);

/** A line as it is worked with: bytes of files are never a text. */
export type ArchiveLine = Exclude<z.infer<typeof archiveLineSchema>, { type: "chunk" }> | ChunkLine;

/** A piece of a file. */
interface ChunkLine {
  type: "chunk";
  bytes: Uint8Array;
}

const order = {
  thread: 0,
  branch: 1,
  run: 2,
  message: 3,
  log: 4,
  event: 5,
  folder: 6,
  file: 6,
  chunk: 6,
  void: 6,
  end: 7,
};

/** Where lines of a type stand; a line never stands before one of a lower rank. */
export function rankOf({ type }: Pick<ArchiveLine, "type">): number {
  return order[type];
}
