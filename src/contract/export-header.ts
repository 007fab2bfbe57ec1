// The first line of an exported thread: what the file is, so that it can be told from anything else, and from a version that
// this deployment does not read, before a byte of the rest is looked at.

import { z } from "zod";

import { refuse } from "./error.ts";
import { flag } from "./query-field.ts";

/** What every export calls itself. */
export const exportFormat = "threadhold-thread";

/** The version that is written. Every version up to it is read. */
export const exportVersion = 2;

/** Media type of an export: a JSON value a line. */
export const exportMediaType = "application/x-ndjson";

const count = z.number().int().nonnegative();

/** The line. What it counts says how much is to come; only the last line says what came. */
export const exportHeaderSchema = z
  .object({
    type: z.literal("header"),
    format: z.literal(exportFormat),
    version: z.number().int().min(1).max(exportVersion),
    thread_id: z.string().max(100),
    /** Microseconds since epoch. */
    exported_at: count,
    /** The thread's files are in it. */
    files: z.boolean(),
    counts: z
      .object({
        /** Messages of the present branch, silent and nested ones too. */
        messages: count,
        /** 0 without files; folders are not counted. */
        files: count,
        /** Bytes of the files. */
        file_bytes: count,
      })
      .strict(),
  })
  .strict();
export type ExportHeader = z.infer<typeof exportHeaderSchema>;

const anyVersion = z.object({ format: z.literal(exportFormat), version: z.number() });

/** Throws `invalid_request` for a line that begins no export, or one of a version that is not read here. */
export function checkExportVersion(line: unknown): void {
  const known = anyVersion.safeParse(line);
  if (!known.success) {
    throw refuse(
      "invalid_request",
      `This is no exported thread: its first line has to name the format "${exportFormat}".`,
    );
  }
  const { version } = known.data;
  if (Number.isInteger(version) && version >= 1 && version <= exportVersion) return;
  const way =
    version > exportVersion
      ? "Import it into a newer deployment, or export the thread from one of this version."
      : "Import it into an older deployment and export it again from there with a later one.";
  throw refuse(
    "invalid_request",
    `The file is of version ${String(version)}; versions 1 to ${String(exportVersion)} are read here. ${way}`,
    {
      version,
      supported: exportVersion,
    },
  );
}

/** Query of `GET /api/threads/:id/export`. */
export const exportThreadSchema = z.object({ files: flag.default(false) }).strict();
