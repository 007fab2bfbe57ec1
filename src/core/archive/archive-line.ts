// The lines of an export after its header, in the order of `rankOf`. The chunks of a file follow its line directly.

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

/** The maximum number of bytes of a line without its line feed. A row has at most 1,900,000. */
export const lineLimit = 2 * 1024 * 1024;

/** The maximum number of bytes of a file in one line, before base64. A multiple of three, so that only the last chunk is padded. */
export const chunkBytes = 786_432;

const count = z.number().int().nonnegative();

/** The number of lines of each type. */
const archiveCountsSchema = z.strictObject({
  branches: count,
  runs: count,
  messages: count,
  logs: count,
  events: count,
  folders: count,
  files: count,
  /** Bytes of all files together. */
  file_bytes: count,
});
export type ArchiveCounts = z.infer<typeof archiveCountsSchema>;

/** Counts of an export without lines. */
export function noCounts(): ArchiveCounts {
  return { branches: 0, runs: 0, messages: 0, logs: 0, events: 0, folders: 0, files: 0, file_bytes: 0 };
}

/** The last line. An export without it is incomplete. */
const archiveEndSchema = z.strictObject({
  type: z.literal("end"),
  counts: archiveCountsSchema,
  /** SHA-256 of every byte before this line, in hexadecimal digits. */
  sha256: z.string().regex(/^[\da-f]{64}$/),
});

/** A line after the header. */
export const archiveLineSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("thread"), thread: archivedThreadSchema }),
  z.strictObject({ type: z.literal("branch"), branch: archivedBranchSchema }),
  z.strictObject({ type: z.literal("run"), run: archivedRunSchema }),
  z.strictObject({ type: z.literal("message"), message: archivedMessageSchema }),
  z.strictObject({ type: z.literal("log"), log: archivedLogSchema }),
  z.strictObject({ type: z.literal("event"), event: archivedEventSchema }),
  z.strictObject({ type: z.literal("folder"), folder: archivedFolderSchema }),
  z.strictObject({ type: z.literal("file"), file: archivedFileSchema }),
  /** A piece of the preceding file: base64 of at most `chunkBytes` bytes. */
  z.strictObject({ type: z.literal("chunk"), data: z.string() }),
  /** The preceding file changed while it was exported: its line and its chunks are ignored. */
  z.strictObject({ type: z.literal("void") }),
  archiveEndSchema,
]);

/** A parsed line. The bytes of a file are never converted to a string, because chunks are most of a large export. */
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

/** The rank of a line's type. The ranks of an export's lines never decrease. */
export function rankOf({ type }: Pick<ArchiveLine, "type">): number {
  return order[type];
}
