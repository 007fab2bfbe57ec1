// The first line of an exported thread. It identifies the format and its version, so that an import of another format or of an unknown
// version is refused before the rest is read.

import { z } from "zod";

import { refuse } from "./error.ts";
import { flag } from "./query-field.ts";

/** The name of the format. */
export const exportFormat = "threadhold-thread";

/** The version that exports have. All versions up to it can be imported. */
export const exportVersion = 2;

/** Media type of an export: one JSON value in each line. */
export const exportMediaType = "application/x-ndjson";

const count = z.number().int().nonnegative();

/** The first line. Its counts are expected values; the last line of the export has the actual counts. */
export const exportHeaderSchema = z
  .object({
    type: z.literal("header"),
    format: z.literal(exportFormat),
    version: z.number().int().min(1).max(exportVersion),
    thread_id: z.string().max(100),
    /** Microseconds since epoch. */
    exported_at: count,
    /** Whether the export contains the thread's files. */
    files: z.boolean(),
    counts: z
      .object({
        /** Messages of the current branch, including silent and nested ones. */
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

/** Throws `invalid_request` for a line that is not the first line of an export, or has an unknown version. */
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

/** Query of `GET /api/threads/:id/export`. Files are exported with the format `thread` only. */
export const exportThreadSchema = z
  .object({
    files: flag.default(false),
    /** `thread`: lines that can be imported. `sessions`: the thread and its child threads as sessions for `threadhold/loop/sessions`. */
    format: z.enum(["thread", "sessions"]).default("thread"),
  })
  .strict();
