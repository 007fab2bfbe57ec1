// Parses JSON from outside within bounds. Values and nesting are counted in the text before it is parsed, because a few MiB of
// small values become more than a GiB of objects.

/** Bounds of a JSON text. */
export interface JsonBounds {
  /** The number of values: texts, numbers, booleans, nulls, lists and objects, at every level. */
  values: number;
  /** The levels of lists and objects inside one another. */
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
 * The bound that a text exceeds; null for none. One pass that allocates nothing. In a text that is not valid JSON, the part before
 * the mistake is counted correctly, and a parser stops at the mistake.
 */
export function exceededBound(text: string, { values: most, depth: deepest }: JsonBounds): keyof JsonBounds | null {
  let values = 1;
  let depth = 0;
  // The last character opened a list or an object, so the next one begins its first value or closes it.
  let opened = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // White space and control characters are not values.
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

/** The position of the quote that ends a text; the end of the input if there is none. */
function endOfText(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (at - slashes > begin && text.charCodeAt(at - slashes - 1) === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The parsed text; null if it is not JSON or exceeds a bound. */
export function parseBoundedOrNull(text: string, bounds: JsonBounds): unknown {
  try {
    return parseBoundedJson(text, bounds);
  } catch {
    return null;
  }
}
