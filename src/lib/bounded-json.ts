// Parses JSON from outside within bounds. Its values and its nesting are counted on the text, before anything is built from it:
// a few MiB of small values become more than a GiB of objects.

/** What a JSON text may hold. */
export interface JsonBounds {
  /** Values in all: texts, numbers, booleans, nulls, lists and objects, at every level. */
  values: number;
  /** Lists and objects inside one another. */
  depth: number;
}

/** A text that exceeds one of its bounds. */
export class JsonBoundError extends Error {
  override readonly name = "JsonBoundError";
  readonly bound: keyof JsonBounds;
  readonly limit: number;

  constructor(bound: keyof JsonBounds, limit: number) {
    super(
      bound === "values" ? `has more than ${String(limit)} values` : `is nested more than ${String(limit)} levels deep`,
    );
    this.bound = bound;
    this.limit = limit;
  }
}

/** The parsed value. Throws a `JsonBoundError` before parsing, or the `SyntaxError` of the platform. */
export function parseBoundedJson(text: string, bounds: JsonBounds): unknown {
  const exceeded = exceededBound(text, bounds);
  if (exceeded !== null) throw new JsonBoundError(exceeded, bounds[exceeded]);
  return JSON.parse(text);
}

const quote = 34;
const comma = 44;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/**
 * The bound that a text exceeds, null for none. One pass that allocates nothing. Of a text that is no JSON the part before its
 * mistake is counted rightly, and a parser builds nothing of the rest.
 */
export function exceededBound(text: string, { values: most, depth: deepest }: JsonBounds): keyof JsonBounds | null {
  let values = 1;
  let depth = 0;
  // A list or an object was opened, and nothing stood in it yet.
  let opened = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // White space and control characters are no values.
    if (unit <= 32) continue;
    const closes = unit === closeList || unit === closeObject;
    if (unit === comma || (opened && !closes)) values += 1;
    opened = unit === openList || unit === openObject;
    if (values > most) return "values";
    if (opened) depth += 1;
    else if (closes) depth -= 1;
    if (depth > deepest) return "depth";
    if (unit === quote) at = endOfText(text, at + 1);
  }
  return null;
}

/** The place of the quote that ends a text, or the end of all where none does. */
function endOfText(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (at - slashes > begin && text.charCodeAt(at - slashes - 1) === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
