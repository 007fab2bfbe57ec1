// A copy of whatever a definition keeps, as far as it is JSON: what comes back from a row is then what was there.

import type { Json, JsonObject } from "#contract/json.ts";

/** Deeper nesting is dropped. */
const deepest = 100;

/** The copy, and where something was dropped; null when it is surely larger than the limit. */
export interface JsonCopy {
  copy: JsonObject | null;
  dropped: string[];
}

/** Copies. Contract: never throws, ends soon for any value, and leaves what it reads as it is. */
export function jsonCopy(value: object, limit: number): JsonCopy {
  const copier = new Copier(limit);
  const copy = copier.object(value, "", []);
  return { copy: copier.left < 0 || copy === null ? null : copy, dropped: copier.dropped };
}

class Copier {
  readonly dropped: string[] = [];
  /** A value takes a byte at least, text as many as it has characters: below zero the copy cannot fit. */
  left: number;

  constructor(limit: number) {
    this.left = limit;
  }

  /** Undefined for what is not kept. */
  #value(value: unknown, path: string, around: readonly object[]): Json | undefined {
    this.left -= typeof value === "string" ? value.length : 1;
    if (this.left < 0 || value === undefined) return undefined;
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value === "object" && !around.includes(value) && around.length < deepest) {
      if (Array.isArray(value)) return this.#list(value, path, around);
      if (isPlain(value)) return this.object(value, path, around) ?? undefined;
    }
    this.#drop(path);
    return undefined;
  }

  #list(list: readonly unknown[], path: string, around: readonly object[]): Json[] {
    const copy: Json[] = [];
    for (let at = 0; at < list.length && this.left >= 0; at += 1) {
      copy.push(this.#read(() => this.#value(list[at], `${path}[${at}]`, [...around, list]), path) ?? null);
    }
    return copy;
  }

  object(object: object, path: string, around: readonly object[]): JsonObject | null {
    const keys = this.#read(() => Object.keys(object), path);
    if (keys === undefined) return null;
    const copy: [string, Json][] = [];
    for (const key of keys) {
      if (this.left < 0) break;
      this.left -= key.length;
      const at = path === "" ? key : `${path}.${key}`;
      const value = this.#read(() => this.#value((object as JsonObject)[key], at, [...around, object]), at);
      if (value !== undefined) copy.push([key, value]);
    }
    return Object.fromEntries(copy);
  }

  /** A getter or a proxy may throw. */
  #read<T>(read: () => T, path: string): T | undefined {
    try {
      return read();
    } catch {
      this.#drop(path);
      return undefined;
    }
  }

  #drop(path: string): void {
    this.dropped.push(path);
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
