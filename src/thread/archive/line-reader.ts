// Reads an export from a request's body line by line, no faster than the import writes, and hashes the bytes. Every line is validated
// before it is used. Errors name the number of the line.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import { checkExportVersion, exportHeaderSchema } from "#contract/export-header.ts";
import type { ExportHeader } from "#contract/export-header.ts";
import { archiveLineSchema, lineLimit } from "#core/archive/archive-line.ts";
import type { ArchiveLine } from "#core/archive/archive-line.ts";
import { decodedChunk } from "#core/archive/chunk-line.ts";
import { lineBounds, tame } from "#core/archive/parsed-json.ts";
import { fromBase64 } from "#lib/base64.ts";
import { parseCounted, ZodBoundError } from "#lib/counted-zod.ts";
import { isObject } from "#lib/json-value.ts";
import { RunningDigest } from "#lib/running-digest.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

const lineFeed = 10;

/** The maximum number of fields that an error lists. */
const fieldLimit = 10;

/** The maximum number of comparisons of a line. A right line of 500,000 values needs about two for each value that is no free JSON. */
const mostComparisons = 2_000_000;

/** The part of a zod error that is used. */
interface Issues {
  issues: readonly { path: PropertyKey[]; message: string }[];
}

/** Reads the lines of one import. */
export class LineReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #digest = new RunningDigest();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** The unread bytes lie between `from` and `to`. All lines share one buffer, so that a large import allocates little. */
  #buffer = new Uint8Array();
  #from = 0;
  #to = 0;
  #ended = false;
  #number = 0;
  /** The version of the format from the header. */
  #version = 0;
  #bytes = 0;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** Number of the line that was read last, from 1. */
  get number(): number {
    return this.#number;
  }

  /** Bytes of the line that was read last, without its line feed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reads the first line. */
  async header(): Promise<ExportHeader> {
    const raw = await this.#someLine();
    const value = this.#parsed(raw);
    checkExportVersion(value);
    const header = exportHeaderSchema.safeParse(value);
    if (!header.success) throw this.#misfit(header.error);
    await this.#digest.add(raw);
    this.#version = header.data.version;
    return header.data;
  }

  /** Reads the next line. Throws at the last line if its hash does not match the bytes before it, or if another line follows. */
  async next(): Promise<ArchiveLine> {
    const raw = await this.#someLine();
    const line = this.#read(raw);
    if (line.type !== "end") {
      await this.#digest.add(raw);
      return line;
    }
    if ((await this.#digest.hex()) !== line.sha256) {
      throw refuse(
        "invalid_request",
        "The file was changed or damaged: its bytes do not hash to what its last line says.",
      );
    }
    if ((await this.#line()) !== null) throw this.refusal("follows the last line");
    return line;
  }

  /** Reads and validates the remaining lines. Returns the hash in the last one. */
  async skipToEnd(): Promise<string> {
    for (;;) {
      const line = await this.next();
      if (line.type === "end") return line.sha256;
    }
  }

  /** An error that names the line that was read last. */
  refusal(problem: string): ThreadholdError {
    return refuse("invalid_request", `Line ${this.#number} ${problem}.`, { line: this.#number });
  }

  #misfit({ issues }: Issues): ThreadholdError {
    const fields = issues
      .slice(0, fieldLimit)
      .map(({ path, message }) => ({ path: path.map(String).join("."), message }));
    const [first] = fields;
    const what = first === undefined ? "" : `: ${first.path === "" ? "" : `${first.path}: `}${first.message}`;
    return refuse("invalid_request", `Line ${this.#number} does not have the form it should have${what}`, {
      line: this.#number,
      fields,
    });
  }

  #read(raw: Uint8Array): ArchiveLine {
    const piece = decodedChunk(raw);
    if (piece !== null) return { type: "chunk", bytes: piece };
    const read = this.#checked(currentLine(this.#parsed(raw), this.#version));
    if (!read.success) throw this.#misfit(read.error);
    const line = read.data;
    if (line.type !== "chunk") return line;
    const bytes = fromBase64(line.data);
    if (bytes === null) throw this.refusal("is no base64");
    return { type: "chunk", bytes };
  }

  #checked(value: unknown): ReturnType<(typeof archiveLineSchema)["safeParse"]> {
    try {
      return parseCounted(archiveLineSchema, value, mostComparisons);
    } catch (thrown) {
      if (!(thrown instanceof ZodBoundError)) throw thrown;
      throw refuse("too_large", `Line ${this.#number}: ${thrown.message}`, { line: this.#number });
    }
  }

  #parsed(raw: Uint8Array): unknown {
    const value = this.#json(raw);
    tame(value);
    return value;
  }

  async #someLine(): Promise<Uint8Array> {
    const raw = await this.#line();
    if (raw !== null) return raw;
    throw refuse("invalid_request", "The file is not whole: its last line is missing. Export the thread again.");
  }

  #json(raw: Uint8Array): unknown {
    try {
      return parseBoundedJson(this.#decoder.decode(raw), lineBounds);
    } catch (thrown) {
      throw this.refusal(thrown instanceof JsonBoundError ? thrown.message : "is not JSON in UTF-8");
    }
  }

  /** Returns the next line with its line feed; null after the last line. The bytes are valid until the next call. */
  async #line(): Promise<Uint8Array | null> {
    for (let searched = this.#from; ;) {
      const at = this.#buffer.subarray(0, this.#to).indexOf(lineFeed, searched);
      const length = (at === -1 ? this.#to : at) - this.#from;
      if (length > lineLimit) throw refuse("too_large", `Line ${this.#number + 1} has more than ${lineLimit} bytes.`);
      if (at !== -1) return this.#take(length + 1, length);
      if (this.#ended) return length === 0 ? null : this.#take(length, length);
      await this.#readMore();
      searched = this.#from + length;
    }
  }

  #take(length: number, bytes: number): Uint8Array {
    const line = this.#buffer.subarray(this.#from, this.#from + length);
    this.#from += length;
    this.#number += 1;
    this.#bytes = bytes;
    return line;
  }

  async #readMore(): Promise<void> {
    const { done, value } = await this.#reader.read();
    if (done) {
      this.#ended = true;
      return;
    }
    const unread = this.#to - this.#from;
    const needed = unread + value.byteLength;
    if (this.#to + value.byteLength > this.#buffer.byteLength) {
      // Moves the unread bytes to the start of the buffer, or to a new buffer of twice the needed size if they do not fit.
      const room = needed > this.#buffer.byteLength ? new Uint8Array(needed * 2) : this.#buffer;
      room.set(this.#buffer.subarray(this.#from, this.#to));
      this.#buffer = room;
      [this.#from, this.#to] = [0, unread];
    }
    this.#buffer.set(value, this.#to);
    this.#to += value.byteLength;
  }
}

/**
 * Converts a line of an earlier version of the format to the current one. Version 1 named a thread's setup `session`; other lines are
 * the same.
 */
function currentLine(line: unknown, version: number): unknown {
  if (version > 1 || !isObject(line) || line["type"] !== "thread" || !isObject(line["thread"])) return line;
  const { session, ...thread } = line["thread"];
  return session === undefined ? line : { ...line, thread: { ...thread, setup: session } };
}
