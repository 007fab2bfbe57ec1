// Exports a whole thread as lines (docs/reference/export-format.md), or with its child threads as sessions of loops. Lines are built as the client reads them, from pages of rows and
// chunks of files, so the thread is never completely in memory. Writes nothing.
// Loaded with the first export of an isolate.

import { exportFormat, exportMediaType, exportThreadSchema, exportVersion } from "#contract/export-header.ts";
import type { ExportHeader } from "#contract/export-header.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { totalOf } from "#core/record/message-counts.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import type { Bucket } from "#store/files/file-bucket.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";

import type { RowSnapshot } from "../live/row-snapshot.ts";
import type { OpenThread } from "../method/loaded-thread.ts";
import { fileLines } from "./file-lines.ts";
import { lineStream, pieceStream } from "./line-stream.ts";
import { sessionPieces } from "./session-lines.ts";
import { snapshotLines, takeSnapshot } from "./snapshot-lines.ts";
import type { Snapshot } from "./snapshot-lines.ts";

/** The dependencies of an export. `begin` marks its beginning and returns a function that marks its end. */
export interface Exporting {
  caller: Caller;
  bucket: Bucket | null;
  begin: () => () => void;
}

/**
 * Returns the response that streams the export. Throws a `ThreadholdError` to refuse it. A failure after its beginning ends the stream
 * early.
 */
export async function exportThread(
  context: Pick<OpenThread, "deployment" | "live" | "storage" | "definitions" | "files">,
  { method, url }: Request,
  { caller, bucket, begin }: Exporting,
): Promise<Response> {
  const { live } = context;
  const { clock } = context.deployment;
  const { files, format } = exportThreadSchema.parse(Object.fromEntries(new URL(url).searchParams));
  const headers = headersOf(live.record.id, format);
  if (method === "HEAD") return new Response(null, { headers });
  const { fileCount, totalSize } = files ? await context.files.stats() : { fileCount: 0, totalSize: 0 };
  if (format === "sessions") {
    const rows = live.rowSnapshots.take(live.record);
    const onEnd = endOf(rows, begin());
    const { user, admin } = caller;
    return new Response(pieceStream(sessionPieces(context, { rows, caller: { user, admin } }), { clock, onEnd }), {
      headers,
    });
  }
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
  const stream = lineStream(header, lines, { clock, onEnd: endOf(snapshot.rows, begin()) });
  return new Response(stream, { headers });
}

function endOf(rows: RowSnapshot, end: () => void): () => void {
  return () => {
    rows.release();
    end();
  };
}

function headersOf(id: string, format: "thread" | "sessions"): Record<string, string> {
  return {
    "content-type": `${exportMediaType}; charset=utf-8`,
    "content-disposition": `attachment; filename="${format}-${id}.ndjson"`,
    // Proxies must not compress the response, because compression would buffer lines.
    "cache-control": "no-store, no-transform",
    "x-content-type-options": "nosniff",
  };
}

async function* linesOf(
  { live, storage }: Pick<OpenThread, "live" | "storage">,
  snapshot: Snapshot,
  { files, bucket }: { files: boolean; bucket: Bucket | null },
): AsyncGenerator<ArchiveLine> {
  const { rows: moment } = snapshot;
  yield* snapshotLines(live, snapshot);
  moment.releaseRows();
  const rows = sqliteFileRows(storage, () => live.retired);
  if (files) yield* fileLines({ rows, bucket, isLate: (tag) => moment.isPendingAttachment(tag) });
}
