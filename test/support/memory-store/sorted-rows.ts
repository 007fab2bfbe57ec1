// A table in memory: rows as JSON text by key, sorted by key. It stores JSON text as SQLite does, so values are always
// copied in and out, and what JSON cannot hold (`undefined`) is lost here too.

import { refuse } from "#contract/error.ts";
import { decodeBody, encodeBody } from "#store/row-body.ts";

import type { UndoLog } from "./undo-log.ts";

type Key = string | number;

/** A window over keys, both bounds exclusive. */
export interface KeyWindow<K extends Key> {
  order: "asc" | "desc";
  above?: K | undefined;
  below?: K | undefined;
}

/** Rows of one kind. */
export class SortedRows<K extends Key, T extends object> {
  readonly #kind: string;
  readonly #undo: UndoLog;
  readonly #keys: K[] = [];
  readonly #bodies = new Map<K, string>();

  constructor(kind: string, undo: UndoLog) {
    this.#kind = kind;
    this.#undo = undo;
  }

  get size(): number {
    return this.#keys.length;
  }

  insert(key: K, record: T): void {
    const body = encodeBody(this.#kind, record);
    if (this.#bodies.has(key)) throw refuse("internal", `There is a ${this.#kind} with the key ${key} already.`);
    this.#put(key, body);
    this.#undo.note(() => this.#take(key));
  }

  update(key: K, record: T): void {
    const before = this.#bodies.get(key);
    const body = encodeBody(this.#kind, record);
    if (before === undefined) throw refuse("internal", `There is no ${this.#kind} with the key ${key} to update.`);
    this.#bodies.set(key, body);
    this.#undo.note(() => this.#bodies.set(key, before));
  }

  delete(key: K): void {
    const before = this.#bodies.get(key);
    if (before === undefined) return;
    this.#take(key);
    this.#undo.note(() => this.#put(key, before));
  }

  find(key: K): T | null {
    const body = this.#bodies.get(key);
    return body === undefined ? null : decodeBody<T>(body);
  }

  /** Rows of a window, read lazily one by one. */
  *walk({ order, above, below }: KeyWindow<K>): Generator<T> {
    const from = above === undefined ? 0 : this.#place(above, true);
    const to = below === undefined ? this.#keys.length : this.#place(below, false);
    const keys = this.#keys.slice(from, Math.max(from, to));
    for (const key of order === "asc" ? keys : keys.toReversed()) {
      const record = this.find(key);
      if (record !== null) yield record;
    }
  }

  /** The first rows of a window that satisfy `passes`, up to a limit. */
  page(window: KeyWindow<K>, limit: number, passes: (record: T) => boolean): T[] {
    const found: T[] = [];
    for (const record of this.walk(window)) {
      if (found.length >= limit) break;
      if (passes(record)) found.push(record);
    }
    return found;
  }

  #put(key: K, body: string): void {
    this.#keys.splice(this.#place(key, false), 0, key);
    this.#bodies.set(key, body);
  }

  #take(key: K): void {
    this.#keys.splice(this.#place(key, false), 1);
    this.#bodies.delete(key);
  }

  /** Index of the first key that is at least `key`, or, if `greater` is true, of the first key that is greater. */
  #place(key: K, greater: boolean): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = this.#keys[middle];
      if (there !== undefined && (there < key || (greater && there === key))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
