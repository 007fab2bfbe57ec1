// Converts a file's row to the types that other parts of the runtime use.

import type { ExistingEntry } from "#core/ports/thread-file-port.ts";
import type { FileRecord } from "#spec/index.ts";

import { joined } from "./file-path.ts";
import type { FileRow } from "./file-rows.ts";

/** A file with its ETag. Folders and files outside of the thread have none. */
export function existingEntryOf(row: FileRow): ExistingEntry {
  const own = !row.is_folder && row.body.place?.type !== "external";
  return { record: fileRecord(row), etag: own ? row.body.tag : null };
}

/** The row as a `FileRecord` (Standard Agents, threads). */
export function fileRecord({ parent, name, is_folder, size, body }: FileRow): FileRecord {
  const { mime_type, place, metadata, width, height, created_at, updated_at } = body;
  return {
    path: joined(parent, name),
    name,
    mimeType: mime_type,
    storage: storageOf(place),
    size,
    isDirectory: is_folder,
    ...(metadata === undefined ? {} : { metadata }),
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(created_at === 0 ? {} : { createdAt: created_at, updatedAt: updated_at }),
  };
}

function storageOf(place: FileRow["body"]["place"]): string {
  if (place?.type === "bucket") return "r2";
  return place?.type === "external" ? "external" : "thread";
}
