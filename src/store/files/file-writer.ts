// Writes files. The bytes are stored first, under a new generation; then one transaction writes the row that makes them the file and
// deletes the previous bytes. Until then the previous file remains. Bytes of a failed or crashed write are garbage, which a row in
// the table of garbage records.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { ImagePort } from "#core/ports/image-port.ts";
import type { FileBody, LinkFacts, WriteFacts } from "#core/ports/thread-file-port.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";

import { limitBytes, inChunks, cancelUnread, piecesOf } from "./byte-pieces.ts";
import { deleteFromBucket, storeInBucket } from "./file-bucket.ts";
import type { Bucket } from "./file-bucket.ts";
import type { Change } from "./file-change.ts";
import { foldersAbove } from "./file-path.ts";
import type { FilePath } from "./file-path.ts";
import { openBytes } from "./file-reader.ts";
import { fileRecord, existingEntryOf } from "./file-record.ts";
import { chunkBytes } from "./file-rows.ts";
import type { FileBodyRecord, FileLocation, FileRow, FileRows } from "./file-rows.ts";
import { measured } from "./image-facts.ts";

/** The bucket for large files. */
export interface BucketChoice {
  bucket: Bucket;
  /** First part of every key. */
  threadId: string;
  /**
   * Size in bytes from which a file is stored in the bucket. Up to this number of bytes is collected in memory before the location is
   * chosen.
   */
  threshold: number;
}

/** Dependencies and limits of writing. */
export interface FileWriterParts {
  rows: FileRows;
  /** Performs changes and emits their events. */
  change: Change;
  images: ImagePort;
  clock: Clock;
  /** Maximal bytes of a file. */
  limit: number;
  /** Bytes of the object's storage that files may fill. A full storage could not store messages either. */
  room: number;
  bucket: BucketChoice | null;
  /** Called when garbage exists, or will exist if a write fails. Never called inside a transaction. */
  onGarbage: () => void;
}

/**
 * Streams that are stored at the same time; each may hold bytes up to the threshold and one part in memory. Writes of the thread itself
 * (`own`) never wait for uploads of clients (`outside`).
 */
const streamsAtOnce = { own: 2, outside: 3 };

/** Uploads that may wait. More are refused at once, because they would wait too long. */
const streamsWaiting = 8;

/** Milliseconds after which a refused upload may be repeated. */
const retryAfterMs = 10_000;

/** The writer of one object. It records which generations are being written. */
export class FileWriter {
  readonly #parts: FileWriterParts;
  readonly #writing = new Set<number>();
  readonly #inTurn = { own: createRequestQueue(streamsAtOnce.own), outside: createRequestQueue(streamsAtOnce.outside) };
  /** Number of uploads that are being stored or wait. */
  #outside = 0;
  #last: number | null = null;
  #closed = false;

  constructor(parts: FileWriterParts) {
    this.#parts = parts;
  }

  /** Closed when the thread is being deleted: current writes fail and new ones are refused. */
  close(): void {
    this.#closed = true;
  }

  /** Whether uploads wait for others. */
  get crowded(): boolean {
    return this.#outside > streamsAtOnce.outside;
  }

  /** Whether bytes are being stored that belong to no file yet. */
  get busy(): boolean {
    return this.#writing.size > 0;
  }

  /** Whether the bytes of a generation are being stored. */
  isWriting(generation: number): boolean {
    return this.#writing.has(generation);
  }

  /** Writes a file and returns its row. A stream that is refused before it is read is cancelled. */
  async write(at: FilePath, body: FileBody, facts: WriteFacts): Promise<FileRow> {
    const { signal, outside = false } = facts;
    const inTurn = this.#inTurn[outside ? "outside" : "own"];
    try {
      if (at.name === "") throw refuse("conflict", "The root is a folder and cannot be written.");
      this.#assertWritable(at);
      const write = () => this.#write(at, body, facts);
      if (!(body instanceof ReadableStream)) return await write();
      return await (outside ? this.#fromOutside(() => inTurn(signal, write)) : inTurn(signal, write));
    } catch (thrown) {
      if (signal?.aborted !== true || thrown !== signal.reason) throw thrown;
      throw refuse("conflict", `${at.path} was given up before all of it was there; nothing of it was written.`);
    } finally {
      await cancelUnread(body);
    }
  }

  async #fromOutside<T>(work: () => Promise<T>): Promise<T> {
    if (this.#outside >= streamsAtOnce.outside + streamsWaiting) {
      const message = `${this.#outside} uploads to this thread are under way or wait. Send this one again later.`;
      throw new ThreadholdError({ code: "rate_limited", message, retry_after_ms: retryAfterMs });
    }
    this.#outside += 1;
    try {
      return await work();
    } finally {
      this.#outside -= 1;
    }
  }

  /** Records a file whose bytes are stored elsewhere. */
  link(at: FilePath, url: string, { size = 0, ...facts }: LinkFacts): FileRow {
    if (at.name === "") throw refuse("conflict", "The root is a folder and cannot be written.");
    const place = { type: "external" as const, url };
    return this.#commit({ at, place, bytes: null, generation: null, size, facts });
  }

  async #write(at: FilePath, body: FileBody, facts: WriteFacts): Promise<FileRow> {
    const prepared = await this.prepare(at, body, facts);
    try {
      return this.#commit(prepared);
    } catch (thrown) {
      await this.discard(prepared);
      throw thrown;
    } finally {
      this.settle(prepared);
    }
  }

  /**
   * Stores the bytes of a file that does not exist yet. The caller makes it the file by `put` in its transaction, or calls `discard`. In
   * both cases it calls `settle` afterwards.
   */
  async prepare(at: FilePath, body: FileBody, facts: WriteFacts): Promise<PreparedFile> {
    const count = { bytes: 0 };
    const pieces = limitBytes(piecesOf(body, facts.signal), count, { limit: this.#parts.limit, path: at.path });
    const stored = await this.#store(pieces);
    const size = count.bytes;
    try {
      return { at, ...stored, size, facts: await this.#measured(at, { body, size, stored }, facts) };
    } catch (thrown) {
      await this.discard(stored);
      this.settle(stored);
      throw thrown;
    }
  }

  /** Deletes the bytes of a prepared file that is not used. */
  discard({ place, generation }: Stored): Promise<void> {
    return this.#discard(place, generation);
  }

  /** Ends the preparation of a file that was put or discarded. */
  settle({ generation }: Stored): void {
    this.#writing.delete(generation ?? 0);
  }

  /** Stores the bytes by their size: in a row (then they are returned), in chunks, or in the bucket. */
  async #store(pieces: AsyncGenerator<Uint8Array>): Promise<Stored> {
    const { bucket } = this.#parts;
    const chunks = inChunks(pieces, chunkBytes);
    const begun: Uint8Array[] = [];
    let gathered = 0;
    // A file of one chunk goes into its row, a file below the threshold into chunks. So two chunks, or bytes up to the threshold, are read
    // before the location is chosen.
    const enough = bucket === null ? 0 : bucket.threshold;
    while (begun.length < 2 || gathered < enough) {
      const next = await chunks.next();
      if (next.done === true) {
        if (begun.length > 1) return this.#storeChunks(begun, chunks);
        return { place: { type: "row" }, bytes: begun[0] ?? new Uint8Array(), generation: null };
      }
      begun.push(next.value);
      gathered += next.value.byteLength;
    }
    return bucket === null ? this.#storeChunks(begun, chunks) : this.#storeInBucket(begun, chunks, bucket);
  }

  async #storeChunks(begun: Uint8Array[], rest: AsyncGenerator<Uint8Array>): Promise<Stored> {
    const generation = await this.#begin(null, rest);
    let count = 0;
    try {
      for await (const chunk of all(begun, rest)) {
        this.#assertFits(chunk.byteLength);
        this.#parts.rows.putChunk(generation, count, chunk);
        count += 1;
      }
    } catch (thrown) {
      await this.#discard({ type: "chunks", generation, count }, generation);
      throw thrown;
    }
    return { place: { type: "chunks", generation, count }, bytes: null, generation };
  }

  async #storeInBucket(
    begun: Uint8Array[],
    rest: AsyncGenerator<Uint8Array>,
    { bucket, threadId }: BucketChoice,
  ): Promise<Stored> {
    // A random key: it must never equal the key of an object that belongs to a file.
    const place = { type: "bucket" as const, key: `${threadId}/${crypto.randomUUID()}` };
    const generation = await this.#begin(place.key, rest);
    try {
      await storeInBucket(bucket, place.key, all(begun, rest));
    } catch (thrown) {
      await rest.return(undefined);
      await this.#discard(place, generation);
      throw thrown;
    }
    return { place, bytes: null, generation };
  }

  /** Starts a generation, recorded as garbage until a file uses it. If it cannot start, the source is closed. */
  async #begin(bucketKey: string | null, source: AsyncGenerator<Uint8Array>): Promise<number> {
    const { rows, onGarbage } = this.#parts;
    try {
      const generation = this.#next();
      rows.addGarbage({ generation, bucket_key: bucketKey });
      this.#writing.add(generation);
      onGarbage();
      return generation;
    } catch (thrown) {
      await source.return(undefined);
      throw thrown;
    }
  }

  #next(): number {
    const generation = (this.#last ?? this.#parts.rows.lastGeneration()) + 1;
    this.#last = generation;
    return generation;
  }

  /**
   * Deletes what a failed write stored. For the bucket the garbage row remains, and the next sweep deletes the object if it still exists.
   */
  async #discard(place: FileLocation, generation: number | null): Promise<void> {
    const { rows, bucket, onGarbage } = this.#parts;
    this.#writing.delete(generation ?? 0);
    if (generation === null) return;
    if (place.type === "bucket") {
      // Deleted at once, because the thread, and with it the garbage row, may have been deleted in the meantime. If this fails, the sweep
      // tries again.
      if (bucket !== null) await deleteFromBucket(bucket.bucket, [place.key]).catch(() => undefined);
      onGarbage();
      return;
    }
    rows.transaction(() => {
      rows.dropChunks(generation);
      rows.removeGarbage(generation);
    });
  }

  #commit(prepared: PreparedFile): FileRow {
    const { row, leftover } = this.#parts.change(() => {
      const result = this.put(prepared);
      return { result, events: [{ path: prepared.at.path, file: fileRecord(result.row) }] };
    });
    if (leftover) this.#parts.onGarbage();
    return row;
  }

  /** Writes the row of a file; part of the caller's transaction. Returns whether an object of the earlier file remains in the bucket. */
  put({ at, place, bytes, generation, size, facts }: PreparedFile): { row: FileRow; leftover: boolean } {
    const { rows, clock } = this.#parts;
    const now = clock.now();
    this.#assertWritable(at);
    if (bytes !== null) this.#assertFits(bytes.byteLength);
    const before = rows.find(at.parent, at.name);
    const tag = crypto.randomUUID().slice(0, 18);
    facts.check?.(before === null ? null : existingEntryOf(before), tag);
    const body: FileBodyRecord = {
      mime_type: facts.mimeType,
      place,
      tag,
      ...(facts.metadata === undefined ? {} : { metadata: facts.metadata }),
      ...(facts.width === undefined ? {} : { width: facts.width }),
      ...(facts.height === undefined ? {} : { height: facts.height }),
      created_at: before?.body.created_at ?? now,
      // Later than that of the earlier file, because the time does not advance between two writes of a request.
      updated_at: Math.max(now, (before?.body.updated_at ?? 0) + 1),
    };
    const row: FileRow = { parent: at.parent, name: at.name, is_folder: false, size, body };
    makeFolders(rows, at, { now, implied: true });
    rows.put(row, bytes);
    if (generation !== null) rows.removeGarbage(generation);
    facts.made?.({ path: at.path, etag: tag });
    return { row, leftover: before !== null && this.dropBytes(before) };
  }

  /** Deletes the bytes of a row's file; part of the caller's transaction. Returns whether an object remains in the bucket. */
  dropBytes({ body: { place } }: FileRow): boolean {
    const { rows } = this.#parts;
    if (place?.type === "chunks") rows.dropChunks(place.generation);
    if (place?.type !== "bucket") return false;
    rows.addGarbage({ generation: this.#next(), bucket_key: place.key });
    return true;
  }

  /** Adds the width and height of an image, unless they are given. A text is not an image. */
  async #measured(
    at: FilePath,
    { body, size, stored }: { body: FileBody; size: number; stored: Stored },
    facts: WriteFacts,
  ): Promise<WriteFacts> {
    const { images, rows, bucket } = this.#parts;
    if (typeof body === "string") return facts;
    const atHand = body instanceof Uint8Array ? body : stored.bytes;
    const unfinished = { mime_type: facts.mimeType, place: stored.place, tag: "", created_at: 0, updated_at: 0 };
    const row: FileRow = { parent: at.parent, name: at.name, is_folder: false, size, body: unfinished };
    const open = async () => atHand ?? openBytes({ rows, bucket: bucket?.bucket ?? null }, row);
    return measured(images, { size, open }, facts);
  }

  /** Throws if the bytes would fill the storage beyond the limit for files. */
  #assertFits(bytes: number): void {
    const { rows, room } = this.#parts;
    if (rows.filled() + bytes <= room) return;
    const message = `The thread's storage is full: it may hold ${room} bytes. Remove files, or bind a bucket for large ones.`;
    throw refuse("too_large", message, { limit: room });
  }

  /** Throws if a folder exists at the path, or a file at the path of one of its folders. */
  #assertWritable(at: FilePath): void {
    if (this.#parts.rows.find(at.parent, at.name)?.is_folder === true) {
      throw refuse("conflict", `${at.path} is a folder; a file cannot take its place.`);
    }
    this.assertBelowFolders(at);
  }

  /** Throws if a file exists at the path of one of the folders above a path, or if the thread is being deleted. */
  assertBelowFolders(at: FilePath): void {
    const { rows } = this.#parts;
    if (this.#closed) throw refuse("thread_not_found", "The thread is being deleted, so nothing is written any more.");
    for (const folder of foldersAbove(at)) {
      if (rows.find(folder.parent, folder.name)?.is_folder === false) {
        throw refuse("conflict", `${folder.path} is a file, so nothing can be stored below it.`);
      }
    }
  }
}

/** A file whose bytes are stored and whose row is not written yet. */
export interface PreparedFile extends Stored {
  at: FilePath;
  size: number;
  facts: WriteFacts;
}

/** Stored bytes that are not a file yet. `generation` is that of their garbage row; null for bytes that go into a file's own row. */
interface Stored {
  place: FileLocation;
  bytes: Uint8Array | null;
  generation: number | null;
}

async function* all(begun: Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Removes each chunk from the list when it is yielded, so that stored chunks can be freed.
  for (let next = begun.shift(); next !== undefined; next = begun.shift()) yield next;
  yield* rest;
}

/** Creates the missing folders above a path; part of the caller's transaction. */
export function makeFolders(rows: FileRows, at: FilePath, { now, implied }: { now: number; implied: boolean }): void {
  for (const { parent, name } of foldersAbove(at)) {
    if (rows.find(parent, name) === null) rows.put(folderRow({ parent, name }, { now, implied }), null);
  }
}

export function folderRow(
  { parent, name }: Pick<FilePath, "parent" | "name">,
  { now, implied }: { now: number; implied: boolean },
): FileRow {
  const body: FileBodyRecord = {
    mime_type: "inode/directory",
    tag: "folder",
    ...(implied ? { implied } : {}),
    created_at: now,
    updated_at: now,
  };
  return { parent, name, is_folder: true, size: 0, body };
}
