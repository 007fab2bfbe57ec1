// Converts the chunks of a stream to text for the log, without secrets. A key that a model repeats arrives in pieces, each in another
// chunk, so a search in one chunk does not find it. A chunk that ends with the beginning of a key is held back until the next one arrives.

import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { shortestSecret, type Redact } from "./redact.ts";

/** The location of a text in a chunk. */
interface Leaf {
  holder: Record<string, unknown>;
  key: string;
}

/** A text whose end may be a piece of a key. */
interface Piece extends Leaf {
  chunk: number;
  /** Number of characters at the end of the text that belong to the piece. */
  length: number;
}

/** The maximum number of UTF-16 units of all chunks, twice as many as the log keeps. Later chunks are ignored. */
const mostText = 512 * 1024;

/** The maximum number of texts that may be the beginning of a key. After more of them, chunks are ignored. */
const mostOpen = 200;

/**
 * Converts chunks to text without secrets. Each chunk up to the bound is returned once and in order, some of them later than they arrived: a
 * text such as the name of a tool may be the beginning of a key until the end of the stream.
 */
export class RawText {
  #secrets: readonly string[];
  readonly #redact: Redact;
  /** Pieces that may be the beginning of a key, by the path of the text in its chunk. */
  readonly #open = new Map<string, Piece[]>();
  #waiting: { number: number; chunk: { value: unknown } }[] = [];
  #next = 0;
  #length = 0;

  constructor(secrets: readonly string[], redact: Redact) {
    this.#secrets = secrets.filter((secret) => secret.length >= shortestSecret);
    this.#redact = redact;
  }

  /** Adds a secret that later chunks may contain. */
  add(secret: string): void {
    if (secret.length >= shortestSecret) this.#secrets = [...this.#secrets, secret];
  }

  /** Adds a chunk. Returns the text of the chunks that are not held back any more. */
  take(value: unknown): string[] {
    if (this.#length > mostText || this.#open.size > mostOpen) return [];
    // Usually no chunk is held back and no text ends with the beginning of a key. Such a chunk is not copied.
    if (this.#waiting.length === 0 && this.#open.size === 0 && !this.#mayEndInKey(value)) {
      this.#next += 1;
      const text = this.#text(value ?? null);
      this.#length += text.length;
      return [text];
    }
    const json = JSON.stringify(value ?? null);
    this.#length += json.length;
    const chunk = { value: parseOwnJson(json) };
    const number = this.#next;
    this.#next += 1;
    this.#waiting.push({ number, chunk });
    if (this.#secrets.length > 0) this.#visit(chunk, "value", { path: "", number });
    const firstOpen = Math.min(this.#next, ...[...this.#open.values()].map(([first]) => first?.chunk ?? this.#next));
    const held = this.#waiting.findIndex((one) => one.number >= firstOpen);
    const free = this.#waiting.splice(0, held === -1 ? this.#waiting.length : held);
    return free.map((one) => this.#text(one.chunk.value));
  }

  /** Returns the text of the chunks that are still held back, at the end of the stream. */
  end(): string[] {
    const waiting = this.#waiting.map((one) => this.#text(one.chunk.value));
    this.#waiting = [];
    this.#open.clear();
    return waiting;
  }

  #mayEndInKey(value: unknown): boolean {
    if (typeof value === "string") return this.#openEnd(value) > 0;
    if (typeof value !== "object" || value === null) return false;
    return Object.values(value).some((inner) => this.#mayEndInKey(inner));
  }

  #text(value: unknown): string {
    return this.#redact(JSON.stringify(value));
  }

  #visit(holder: object, key: string, at: { path: string; number: number }): void {
    const fields = holder as Record<string, unknown>;
    const value = fields[key];
    if (typeof value === "string") return this.#piece({ holder: fields, key }, value, at);
    if (typeof value !== "object" || value === null) return;
    for (const field of Object.keys(value)) this.#visit(value, field, { ...at, path: `${at.path}/${field}` });
  }

  /** Joins a text to the pieces of earlier texts at the same path, and removes a key that they form. */
  #piece(leaf: Leaf, value: string, { path, number }: { path: string; number: number }): void {
    const before = this.#open.get(path) ?? [];
    const carried = before.map(endOf).join("");
    const found = this.#cut(before, carried, value);
    const text = found === null ? value : `${found.mark}${value.slice(found.taken)}`;
    leaf.holder[leaf.key] = text;
    const joined = found === null ? carried + value : value.slice(found.taken);
    const end = this.#openEnd(joined);
    const own = Math.min(end, found === null ? value.length : value.length - found.taken);
    const older = found === null ? lastOf(before, end - own) : [];
    const open = own === 0 ? older : [...older, { ...leaf, chunk: number, length: own }];
    if (open.length === 0) this.#open.delete(path);
    else this.#open.set(path, open);
  }

  /** Removes a key that begins in the earlier pieces and ends in the next text. */
  #cut(before: readonly Piece[], carried: string, value: string): { mark: string; taken: number } | null {
    for (const secret of this.#secrets) {
      const at = (carried + value).indexOf(secret);
      if (at === -1 || at >= carried.length) continue;
      for (const piece of lastOf(before, carried.length - at)) {
        const text = textOf(piece);
        piece.holder[piece.key] = text.slice(0, text.length - piece.length);
      }
      return { mark: "[redacted]", taken: at + secret.length - carried.length };
    }
    return null;
  }

  /** The number of characters at the end of a text that may be the beginning of a key. */
  #openEnd(text: string): number {
    let longest = 0;
    for (const secret of this.#secrets) {
      let at = text.indexOf(secret.charAt(0), Math.max(0, text.length - secret.length + 1));
      while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(secret.charAt(0), at + 1);
      if (at !== -1) longest = Math.max(longest, text.length - at);
    }
    return longest;
  }
}

/** The pieces that make up the last `length` characters. */
function lastOf(pieces: readonly Piece[], length: number): Piece[] {
  const last: Piece[] = [];
  let remaining = length;
  for (const piece of pieces.toReversed()) {
    if (remaining <= 0) break;
    last.unshift({ ...piece, length: Math.min(remaining, piece.length) });
    remaining -= piece.length;
  }
  return last;
}

function textOf({ holder, key }: Leaf): string {
  return String(holder[key]);
}

function endOf(piece: Piece): string {
  const text = textOf(piece);
  return text.slice(text.length - piece.length);
}
