// Creates a thread from an export, completely or not at all. While lines are read, the object has an `ImportMark` instead of the thread's row.

import { refuse } from "#contract/error.ts";
import { namedThreadId } from "#contract/named-thread-id.ts";
import { rankOf } from "#core/archive/archive-line.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { ArchiveTally } from "#core/archive/archive-tally.ts";
import { noBounds } from "#core/limits/amounts.ts";
import type { RunEnd } from "#core/ports/strategy-port.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { derivedUuidText } from "#lib/uuid-text.ts";
import { createFileSystem } from "#store/files/file-system.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";
import { noImages } from "#store/images/images-binding.ts";
import type { MeteredStorage } from "#store/meter.ts";

import type { OpenThread } from "../method/loaded-thread.ts";
import { InvalidLine } from "./import-checks.ts";
import { ImportFiles } from "./import-files.ts";
import type { ImportMark, ImportMarkParts } from "./import-mark.ts";
import { ImportRows } from "./import-rows.ts";
import type { ImportedRows } from "./import-rows.ts";
import { LineReader } from "./line-reader.ts";

/** The end that an import gives to a run that was active when its thread was exported. */
const interrupted: RunEnd = {
  status: "error",
  reason: "interrupted",
  error: {
    code: "interrupted",
    message:
      "The thread was exported while this run was under way. Nothing of it was done again; send a message to go on.",
  },
};

/** Dependencies of the importer. */
export interface ImporterParts extends ImportMarkParts {
  storage: MeteredStorage;
  mark: ImportMark;
  /** Loads the thread of a record. */
  open: (record: ThreadRecord) => OpenThread;
  /** The object's loaded thread. */
  loaded: () => OpenThread | null;
  /** Resolves when no creation and no deletion is in progress. */
  settled: () => Promise<unknown>;
}

/** Imports a thread into its object. */
export class Importer {
  readonly #parts: ImporterParts;

  constructor(parts: ImporterParts) {
    this.#parts = parts;
  }

  /**
   * Imports the thread in a body. `creation` identifies the request and is the same when the request is repeated; null if the request
   * cannot be repeated. If the import throws, everything that it wrote is destroyed. A failed destruction is retried.
   */
  async importThread(caller: Caller, body: ReadableStream<Uint8Array>, creation: string | null): Promise<OpenThread> {
    const { store, deployment, mark, settled, loaded } = this.#parts;
    if (!caller.admin && caller.user === null) throw refuse("forbidden", "An import needs a user to own the thread.");
    const reader = new LineReader(body);
    const { thread_id } = await reader.header();
    const first = derivedUuidText(thread_id) === null ? null : await readNamedThread(reader, caller, thread_id);
    await settled();
    await mark.removeUnfinished();
    if (mark.isInUse) throw refuse("conflict", `The thread ${thread_id} is being imported already.`);
    if (store.readThread() !== null)
      return findEarlierImport(loaded(), { reader, creation, caller, threadId: thread_id });
    return mark.during(thread_id, async () => {
      const rows = new ImportRows({
        store,
        threadId: thread_id,
        owner: caller.admin ? "exported" : { user: caller.user },
        allowed: caller.admin ? noBounds : deployment.settings.limits.run,
        now: deployment.clock.now(),
      });
      const sha256 = await this.#takeLines(reader, rows, { threadId: thread_id, first });
      const own = creationOf(creation ?? crypto.randomUUID(), sha256);
      return this.#finish(await withLineNumber(reader, () => rows.result(own)));
    });
  }

  /** Writes the rows of all lines. Returns the hash in the last line. */
  async #takeLines(reader: LineReader, rows: ImportRows, { threadId, first }: ReadStart): Promise<string> {
    let begun = first;
    const tally = new ArchiveTally();
    const files = this.#filesOf(threadId);
    let rank = -1;
    const next = async (): Promise<ArchiveLine> => {
      const line = begun ?? (await reader.next());
      begun = null;
      // The first line is the only one of type `thread`. The ranks of the other lines never decrease.
      if (rankOf(line) < rank || (rank === -1) !== (line.type === "thread"))
        throw reader.refusal("stands out of order");
      rank = rankOf(line);
      tally.add(line);
      return line;
    };
    for (;;) {
      const line = await next();
      if (line.type === "end") {
        if (canonicalJson(tally.counts) === canonicalJson(line.counts)) return line.sha256;
        throw reader.refusal("does not count what came before it");
      }
      this.#mustFit();
      await withLineNumber(reader, () => this.#takeLine(line, { reader, rows, files, next }));
    }
  }

  async #takeLine(line: ArchiveLine, { reader, rows, files, next }: LineTargets): Promise<void> {
    switch (line.type) {
      case "folder":
        files.folder(line.folder);
        return;
      case "file":
        await files.file(line.file, next);
        return;
      case "chunk":
      case "void":
        throw new InvalidLine("belongs to no file");
      default:
        rows.addLine(line, reader.bytes);
    }
  }

  /** Throws if the object's storage exceeds its quota for files. Rows count too: a full object could not even be deleted row by row. */
  #mustFit(): void {
    const { storage, deployment } = this.#parts;
    if (storage.sql.databaseSize <= deployment.files.room) return;
    throw refuse("too_large", `The thread does not fit: its storage holds ${deployment.files.room} bytes.`, {
      limit: deployment.files.room,
    });
  }

  #filesOf(threadId: string): ImportFiles {
    const { storage, deployment } = this.#parts;
    const { bucket, bucketThreshold: threshold, limit, room } = deployment.files;
    const rows = sqliteFileRows(storage, () => false);
    const files = createFileSystem({
      rows,
      // Images are not measured: their lines have the width and height if the exporting thread had them.
      images: noImages,
      clock: deployment.clock,
      limit,
      room,
      bucket: bucket === null ? null : { bucket, threshold, threadId },
      // If a write fails, the whole import is destroyed, so its remains need no sweep.
      onGarbage: () => undefined,
    });
    return new ImportFiles({ rows, files, clock: deployment.clock });
  }

  /** Replaces the mark by the thread's row. Ends the active run in the same transaction, so that nothing resumes it. */
  #finish({ record, active }: ImportedRows): OpenThread {
    const { store, open } = this.#parts;
    return store.transaction(() => {
      store.writeThread(record);
      if (active !== null) store.updateRun(active);
      const opened = open(record);
      if (active === null) return opened;
      opened.driver.endInterrupted(interrupted);
      const { live } = opened;
      // The usage of imported runs belongs to the totals of the deployment where they ran, not to this deployment's.
      live.changeBackground({ catalog: { dirty: true, runs: [] } });
      live.save();
      return opened;
    });
  }
}

/**
 * Returns the first line if its thread has the name from which the thread's id is derived. Otherwise refuses the import, because clients
 * cannot choose such an id. The check precedes any lookup under the id, so that the refusal does not reveal whether a thread
 * exists.
 */
async function readNamedThread(reader: LineReader, caller: Caller, threadId: string): Promise<ArchiveLine> {
  const line = await reader.next();
  if (line.type === "thread" && line.thread.setup !== undefined) {
    const owner = caller.admin ? line.thread.user_id : caller.user;
    if ((await namedThreadId(owner, line.thread.setup.id)) === threadId) return line;
  }
  throw reader.refusal(`is not the session that the id ${threadId} is made from, or not with its owner`);
}

/** The `ThreadRecord.creation` of an imported thread. */
function creationOf(creation: string, sha256: string): string {
  return `import ${creation} ${sha256}`;
}

/** Returns the thread if an earlier attempt of the same request imported it. Throws if another thread has the id. */
async function findEarlierImport(
  open: OpenThread | null,
  { reader, creation, caller, threadId }: Repetition,
): Promise<OpenThread> {
  const record = open?.live.record;
  const isOwn = caller.admin || record?.user_id === caller.user;
  if (open === null || creation === null || !isOwn || record?.creation.startsWith(creationOf(creation, "")) !== true) {
    throw refuse("conflict", `The id ${threadId} is in use. An import keeps its id, so delete that thread first.`);
  }
  if (record.creation === creationOf(creation, await reader.skipToEnd())) return open;
  throw refuse("conflict", "This Idempotency-Key was used with another body.");
}

interface ReadStart {
  threadId: string;
  /** The first line after the header, if it was read already; else null. */
  first: ArchiveLine | null;
}

interface Repetition {
  reader: LineReader;
  creation: string | null;
  caller: Caller;
  threadId: string;
}

interface LineTargets {
  reader: LineReader;
  rows: ImportRows;
  files: ImportFiles;
  next: () => Promise<ArchiveLine>;
}

/** Runs `work`. Converts an `InvalidLine` to an error that names the line that was read last. */
async function withLineNumber<T>(reader: LineReader, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw refusalOf(thrown, reader);
  }
}

function refusalOf(thrown: unknown, reader: LineReader): unknown {
  return thrown instanceof InvalidLine ? reader.refusal(thrown.message) : thrown;
}
