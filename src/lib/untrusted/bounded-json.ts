// Counts the values, keys and nesting levels of JSON from outside before or while it is read, and parses it if it is within its bounds. A
// few MiB of small values become more than a GiB of objects, and a parser with schemas of its own keeps an error for each of them.

/** Bounds of a JSON text. */
export interface JsonBounds {
  /** The number of values: texts, numbers, booleans, nulls, lists and objects, at every level. */
  values: number;
  /** The levels of lists and objects inside one another. */
  depth: number;
  /** The number of keys in all objects together. Absent: only `values` bounds them. */
  keys?: number;
}

/** A text that exceeds one of its bounds. */
export class JsonBoundError extends Error {
  override readonly name = "JsonBoundError";
  readonly bound: keyof JsonBounds;
  readonly limit: number;

  constructor(bound: keyof JsonBounds, limit: number) {
    super(bound === "depth" ? `is nested more than ${limit} levels deep` : `has more than ${limit} ${bound}`);
    this.bound = bound;
    this.limit = limit;
  }
}

/** The parsed value. Throws a `JsonBoundError` before parsing, or the `SyntaxError` of the platform. */
export function parseBoundedJson(text: string, bounds: JsonBounds): unknown {
  new JsonMeter(bounds).read(text);
  return JSON.parse(text);
}

/** The parsed value of a text that a `JsonMeter` has counted while it arrived. Throws the `SyntaxError` of the platform. */
export function parseCountedJson(text: string): unknown {
  return JSON.parse(text);
}

/** The parsed text; null if it is not JSON or exceeds a bound. */
export function parseBoundedOrNull(text: string, bounds: JsonBounds): unknown {
  try {
    return parseBoundedJson(text, bounds);
  } catch {
    return null;
  }
}

/** The bound that a text exceeds; null for none. */
export function exceededBound(text: string, bounds: JsonBounds): keyof JsonBounds | null {
  try {
    new JsonMeter(bounds).read(text);
    return null;
  } catch (thrown) {
    if (thrown instanceof JsonBoundError) return thrown.bound;
    throw thrown;
  }
}

const quote = 34;
const comma = 44;
const colon = 58;
const backslash = 92;
const openObject = 123;
const closeObject = 125;

/** Throws if a count is above its bound. */
function check(bound: keyof JsonBounds, count: number, limit = Infinity): void {
  if (count > limit) throw new JsonBoundError(bound, limit);
}

/**
 * Counts a JSON text that arrives in pieces. One pass that keeps no text. In a text that is not valid JSON, the part before the mistake is
 * counted correctly, and a parser stops at the mistake.
 */
export class JsonMeter {
  readonly #bounds: JsonBounds;
  /** The number of values so far. */
  values = 0;
  #keys = 0;
  #depth = 0;
  /** The last character opened a list or an object, or there was none, so the next one begins a first value or closes it. */
  #opened = true;
  /** Where the last piece ended: 0 outside of a JSON string, 1 in one, 2 in one after an odd number of backslashes. */
  #text = 0;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Counts the next piece. Throws a `JsonBoundError` at the first value, key or level above a bound. */
  read(piece: string): void {
    const { values, depth, keys } = this.#bounds;
    for (let at = this.#text && this.#skipText(piece, 0); at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      // White space and control characters are not values.
      if (unit <= 32) continue;
      // The codes of `[` and `{` differ by 32, and so do those of `]` and `}`.
      const closes = (unit | 32) === closeObject;
      if (unit === comma || (this.#opened && !closes)) check("values", (this.values += 1), values);
      this.#opened = (unit | 32) === openObject;
      if (this.#opened) check("depth", (this.#depth += 1), depth);
      // A bracket that closes nothing is a mistake. It counts as a value, so that no text of brackets makes the depth negative.
      else if (closes && this.#depth === 0) check("values", (this.values += 1), values);
      else if (closes) this.#depth -= 1;
      else if (unit === colon) check("keys", (this.#keys += 1), keys);
      else if (unit === quote) at = this.#skipText(piece, at + 1) - 1;
    }
  }

  /** The position after the quote that ends a JSON string; the end of the piece if the string continues in the next one. */
  #skipText(piece: string, begin: number): number {
    for (let at = begin; ; at += 1) {
      const end = piece.indexOf('"', at);
      at = end < 0 ? piece.length : end;
      let first = at;
      while (first > begin && piece.charCodeAt(first - 1) === backslash) first -= 1;
      // If the backslashes reach the beginning of the piece, those of the last piece count too.
      const escapes = (at - first + (first === begin && this.#text === 2 ? 1 : 0)) % 2;
      if (end < 0) this.#text = 1 + escapes;
      else if (escapes) continue;
      else this.#text = 0;
      return at + 1;
    }
  }
}
