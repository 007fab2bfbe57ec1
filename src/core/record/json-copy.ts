// Copies the JSON part of any value, so that a value read from a row equals the copy that was written.

import type { Json, JsonObject } from "#contract/json.ts";

/** The deepest nesting that is copied. */
const deepest = 100;

/** The copy, and the paths of dropped values. `copy` is null if it would exceed the limit, or if the object's keys cannot be read. */
export interface JsonCopy {
  copy: JsonObject | null;
  dropped: string[];
}

/** Copies an object. Contract: never throws, ends soon for any value, and does not change it. */
export function jsonCopy(value: object, limit: number): JsonCopy {
  const copier = new Copier(limit);
  const copy = copier.object(value, "", []);
  return { copy: copier.budget < 0 || copy === null ? null : copy, dropped: copier.dropped };
}

class Copier {
  readonly dropped: string[] = [];
  /**
   * The limit minus a lower bound of the copied bytes: the length of each key and each text, and one for every other value. A negative
   * budget means that the copy does not fit.
   */
  budget: number;

  constructor(limit: number) {
    this.budget = limit;
  }

  /** Returns undefined for a value that is not copied. */
  #value(value: unknown, path: string, ancestors: readonly object[]): Json | undefined {
    this.budget -= typeof value === "string" ? value.length : 1;
    if (this.budget < 0 || value === undefined) return undefined;
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value === "object" && !ancestors.includes(value) && ancestors.length < deepest) {
      if (Array.isArray(value)) return this.#list(value, path, ancestors);
      if (isPlain(value)) return this.object(value, path, ancestors) ?? undefined;
    }
    this.#drop(path);
    return undefined;
  }

  #list(list: readonly unknown[], path: string, ancestors: readonly object[]): Json[] {
    const copy: Json[] = [];
    for (let at = 0; at < list.length && this.budget >= 0; at += 1) {
      copy.push(this.#read(() => this.#value(list[at], `${path}[${at}]`, [...ancestors, list]), path) ?? null);
    }
    return copy;
  }

  object(object: object, path: string, ancestors: readonly object[]): JsonObject | null {
    const keys = this.#read(() => Object.keys(object), path);
    if (keys === undefined) return null;
    const copy: [string, Json][] = [];
    for (const key of keys) {
      if (this.budget < 0) break;
      this.budget -= key.length;
      const at = path === "" ? key : `${path}.${key}`;
      const value = this.#read(() => this.#value((object as JsonObject)[key], at, [...ancestors, object]), at);
      if (value !== undefined) copy.push([key, value]);
    }
    return Object.fromEntries(copy);
  }

  /** Calls `read`. A getter or a proxy may throw; then the path is recorded as dropped. */
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
