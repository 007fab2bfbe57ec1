// Makes a thread of an export, all of it or nothing. While its lines come in, a mark stands where the thread's row will be, so
// that nobody sees a part of it; an import that fails, or that a crash cut, is destroyed with everything it wrote.

import { refuse } from "#contract/error.ts";
import { namedThreadId } from "#contract/named-thread-id.ts";
import { rankOf } from "#core/archive/archive-line.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { ArchiveTally } from "#core/archive/archive-tally.ts";
import { noBounds } from "#core/limits/amounts.ts";
import type { RunEnd } from "#core/ports/strategy-port.ts";
import type { ThreadRecord } from "#core/record.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { causeOf } from "#lib/log-port.ts";
import { derivedUuidText } from "#lib/uuid-text.ts";
import { emptyBucket } from "#store/files/file-bucket.ts";
import { createFileSystem } from "#store/files/file-system.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";
import { noImages } from "#store/images/images-binding.ts";
import type { MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { Alarm } from "../alarm.ts";
import type { OpenThread } from "../open-thread.ts";
import type { World } from "../world.ts";
import { Misfit } from "./import-checks.ts";
import { ImportFiles } from "./import-files.ts";
import { ImportRows } from "./import-rows.ts";
import type { ImportedRows } from "./import-rows.ts";
import { LineReader } from "./line-reader.ts";

/** Milliseconds between two wakes while lines come in: the first one after a crash finds the mark. */
const wakeMs = 30_000;

/** Milliseconds until what could not be destroyed is tried again. */
const againMs = 60_000;

/** How a run ends that was under way when its thread was exported. */
const interrupted: RunEnd = {
  status: "error",
  reason: "interrupted",
  error: {
    code: "interrupted",
    message:
      "The thread was exported while this run was under way. Nothing of it was done again; send a message to go on.",
  },
};

/** What importing works with. */
export interface ImporterParts {
  storage: MeteredStorage;
  store: ManagedThreadStore;
  world: World;
  alarm: () => Alarm;
  /** Loads a thread of this record. */
  open: (record: ThreadRecord) => OpenThread;
  /** The thread that is there. */
  loaded: () => OpenThread | null;
  /** Resolves when no thread is on its way to be made or deleted. */
  settled: () => Promise<unknown>;
  /** Forgets the loaded thread and the alarm: everything was destroyed. */
  forget: () => void;
}

/** One per object. */
export class Importer {
  readonly #parts: ImporterParts;
  #busy = false;
  #undoing: Promise<void> = Promise.resolve();

  constructor(parts: ImporterParts) {
    this.#parts = parts;
  }

  /**
   * Imports what a body says. `creation` is what repetitions of the request have in common; null where there are none. Throws
   * a refusal, and leaves nothing then.
   */
  async take(caller: Caller, body: ReadableStream<Uint8Array>, creation: string | null): Promise<OpenThread> {
    const { store, world, settled, loaded } = this.#parts;
    if (!caller.admin && caller.user === null) throw refuse("forbidden", "An import needs a user to own the thread.");
    const reader = new LineReader(body);
    const { thread_id } = await reader.header();
    const first = derivedUuidText(thread_id) === null ? null : await ownSession(reader, caller, thread_id);
    await settled();
    await this.clear();
    if (this.#busy) throw refuse("conflict", `The thread ${thread_id} is being imported already.`);
    if (store.readThread() !== null) return madeBefore(loaded(), { reader, creation, caller, threadId: thread_id });
    this.#busy = true;
    store.beginImport(thread_id);
    this.#wakeAgain();
    try {
      const rows = new ImportRows({
        store,
        threadId: thread_id,
        owner: caller.admin ? "exported" : { user: caller.user },
        allowed: caller.admin ? noBounds : world.settings.limits.run,
        now: world.clock.now(),
      });
      const sha256 = await this.#takeLines(reader, rows, { threadId: thread_id, first });
      const own = creationOf(creation ?? crypto.randomUUID(), sha256);
      return this.#finish(await inLine(reader, () => rows.result(own)));
    } catch (thrown) {
      this.#undoing = this.#destroy(thread_id);
      await this.#undoing;
      throw thrown;
    } finally {
      this.#busy = false;
    }
  }

  /** The alarm went off while a mark stands: either lines still come in, or nobody is left to bring them. */
  async woken(): Promise<void> {
    if (this.#busy) this.#wakeAgain();
    else await this.clear();
  }

  #wakeAgain(): void {
    const { world, alarm } = this.#parts;
    alarm().notAfter(world.clock.now() / 1000 + wakeMs);
  }

  /** Destroys what an import left that an earlier life of the object began, and waits for what undoes itself. Never rejects. */
  async clear(): Promise<void> {
    await this.#undoing;
    const left = this.#busy ? null : this.#parts.store.importing();
    if (left !== null) await this.#destroy(left);
  }

  /** Gives the digest of the file. */
  async #takeLines(reader: LineReader, rows: ImportRows, { threadId, first }: Begun): Promise<string> {
    let begun = first;
    const tally = new ArchiveTally();
    const files = this.#filesOf(threadId);
    let rank = -1;
    const next = async (): Promise<ArchiveLine> => {
      const line = begun ?? (await reader.next());
      begun = null;
      // One thread line, and first; else no line before one of an earlier kind.
      if (rankOf(line) < rank || (rank === -1) !== (line.type === "thread"))
        throw reader.refused("stands out of order");
      rank = rankOf(line);
      tally.add(line);
      return line;
    };
    for (;;) {
      const line = await next();
      if (line.type === "end") {
        if (canonicalJson(tally.counts) === canonicalJson(line.counts)) return line.sha256;
        throw reader.refused("does not count what came before it");
      }
      this.#mustFit();
      await inLine(reader, () => this.#takeLine(line, { reader, rows, files, next }));
    }
  }

  async #takeLine(line: ArchiveLine, { reader, rows, files, next }: TakenBy): Promise<void> {
    switch (line.type) {
      case "folder":
        files.folder(line.folder);
        return;
      case "file":
        await files.file(line.file, next);
        return;
      case "chunk":
      case "void":
        throw new Misfit("belongs to no file");
      default:
        rows.take(line, reader.bytes);
    }
  }

  /** Messages need room as files do: a full object could not even be deleted row by row. */
  #mustFit(): void {
    const { storage, world } = this.#parts;
    if (storage.sql.databaseSize <= world.files.room) return;
    throw refuse("too_large", `The thread does not fit: its storage holds ${world.files.room} bytes.`, {
      limit: world.files.room,
    });
  }

  #filesOf(threadId: string): ImportFiles {
    const { storage, world } = this.#parts;
    const { bucket, bucketThreshold: threshold, limit, room } = world.files;
    const rows = sqliteFileRows(storage, () => false);
    const files = createFileSystem({
      rows,
      // What an image measures is in the file, or nobody knew it.
      images: noImages,
      clock: world.clock,
      limit,
      room,
      bucket: bucket === null ? null : { bucket, threshold, threadId },
      // What a failed write leaves goes with everything else.
      onGarbage: () => undefined,
    });
    return new ImportFiles({ rows, files, clock: world.clock });
  }

  /** Puts the thread in place of the mark. A run that was under way ends in the same breath, so that nothing takes it up. */
  #finish({ record, active }: ImportedRows): OpenThread {
    const { store, open } = this.#parts;
    return store.transaction(() => {
      store.writeThread(record);
      if (active !== null) store.updateRun(active);
      const opened = open(record);
      if (active === null) return opened;
      opened.driver.endInterrupted(interrupted);
      const { live } = opened.context;
      // What its runs used was used elsewhere: this deployment's totals know nothing of it.
      live.changeBackground({ catalog: { dirty: true, runs: [] } });
      live.save();
      return opened;
    });
  }

  async #destroy(threadId: string): Promise<void> {
    const { world, store, alarm, forget } = this.#parts;
    try {
      // The mark goes last: while it stands, this is tried again.
      if (world.files.bucket !== null) await emptyBucket(world.files.bucket, threadId);
      await store.destroy();
      forget();
    } catch (cause) {
      alarm().notAfter(world.clock.now() / 1000 + againMs);
      world.log("error", "import_not_undone", { thread_id: threadId, cause: causeOf(cause) });
    }
  }
}

/**
 * The first line, if it is the thread of the session that the id is made from; otherwise refuses, because clients cannot choose such
 * an id. This check precedes any lookup under the id, so that the refusal does not reveal whether a thread exists.
 */
async function ownSession(reader: LineReader, caller: Caller, threadId: string): Promise<ArchiveLine> {
  const line = await reader.next();
  if (line.type === "thread" && line.thread.setup !== undefined) {
    const owner = caller.admin ? line.thread.user_id : caller.user;
    if ((await namedThreadId(owner, line.thread.setup.id)) === threadId) return line;
  }
  throw reader.refused(`is not the session that the id ${threadId} is made from, or not with its owner`);
}

/** `ThreadRecord.creation` of an import. */
function creationOf(creation: string, sha256: string): string {
  return `import ${creation} ${sha256}`;
}

/** The thread of the same request made before. Throws for every other thread that has the id. */
async function madeBefore(
  open: OpenThread | null,
  { reader, creation, caller, threadId }: Repetition,
): Promise<OpenThread> {
  const record = open?.context.live.record;
  const isOwn = caller.admin || record?.user_id === caller.user;
  if (open === null || creation === null || !isOwn || record?.creation.startsWith(creationOf(creation, "")) !== true) {
    throw refuse("conflict", `The id ${threadId} is in use. An import keeps its id, so delete that thread first.`);
  }
  if (record.creation === creationOf(creation, await reader.rest())) return open;
  throw refuse("conflict", "This Idempotency-Key was used with another body.");
}

interface Begun {
  threadId: string;
  /** A line that was read already; null if there is none. */
  first: ArchiveLine | null;
}

interface Repetition {
  reader: LineReader;
  creation: string | null;
  caller: Caller;
  threadId: string;
}

interface TakenBy {
  reader: LineReader;
  rows: ImportRows;
  files: ImportFiles;
  next: () => Promise<ArchiveLine>;
}

/** Does it; what does not fit is refused with the line that was read last. */
async function inLine<T>(reader: LineReader, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw refusalOf(thrown, reader);
  }
}

function refusalOf(thrown: unknown, reader: LineReader): unknown {
  return thrown instanceof Misfit ? reader.refused(thrown.message) : thrown;
}
