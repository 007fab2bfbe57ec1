// Exports a whole thread as lines (docs/reference/export-format.md). Lines are built as the client reads them, from pages of rows and
// chunks of files, so the thread is never completely in memory. Writes nothing.
// Loaded with the first export of an isolate.

import { exportFormat, exportMediaType, exportThreadSchema, exportVersion } from "#contract/export-header.ts";
import type { ExportHeader } from "#contract/export-header.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { totalOf } from "#core/message-counts.ts";
import type { Bucket } from "#store/files/file-bucket.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";

import { fileLines } from "../archive/file-lines.ts";
import { lineStream } from "../archive/line-stream.ts";
import { snapshotLines, takeSnapshot } from "../archive/snapshot-lines.ts";
import type { Snapshot } from "../archive/snapshot-lines.ts";
import type { ObjectContext } from "../object-context.ts";

/** The dependencies of an export. `begin` marks its beginning and returns a function that marks its end. */
export interface Exporting {
  bucket: Bucket | null;
  begin: () => () => void;
}

/**
 * Returns the response that streams the export. Throws a `ThreadholdError` to refuse it. A failure after its beginning ends the stream
 * early.
 */
export async function exportThread(
  context: ObjectContext,
  { method, url }: Request,
  { bucket, begin }: Exporting,
): Promise<Response> {
  const { live, clock } = context;
  const { files } = exportThreadSchema.parse(Object.fromEntries(new URL(url).searchParams));
  if (method === "HEAD") return new Response(null, { headers: headersOf(live.record.id) });
  const { fileCount, totalSize } = files ? await context.files.stats() : { fileCount: 0, totalSize: 0 };
  const messages = totalOf(live.record.counts, { includeSilent: true });
  const snapshot = takeSnapshot(live);
  const header: ExportHeader = {
    type: "header",
    format: exportFormat,
    version: exportVersion,
    thread_id: snapshot.thread.id,
    exported_at: clock.now(),
    files,
    counts: { messages, files: fileCount, file_bytes: totalSize },
  };
  const lines = linesOf(context, snapshot, { files, bucket });
  const end = begin();
  const onEnd = (): void => {
    snapshot.rows.release();
    end();
  };
  const stream = lineStream(header, lines, { clock, onEnd });
  return new Response(stream, { headers: headersOf(header.thread_id) });
}

function headersOf(id: string): Record<string, string> {
  return {
    "content-type": `${exportMediaType}; charset=utf-8`,
    "content-disposition": `attachment; filename="thread-${id}.ndjson"`,
    // Proxies must not compress the response, because compression would buffer lines.
    "cache-control": "no-store, no-transform",
    "x-content-type-options": "nosniff",
  };
}

async function* linesOf(
  { live, storage }: ObjectContext,
  snapshot: Snapshot,
  { files, bucket }: { files: boolean; bucket: Bucket | null },
): AsyncGenerator<ArchiveLine> {
  const { rows: moment } = snapshot;
  yield* snapshotLines(live, snapshot);
  moment.releaseRows();
  const rows = sqliteFileRows(storage, () => live.retired);
  if (files) yield* fileLines({ rows, bucket, isLate: (tag) => moment.isPendingAttachment(tag) });
}
