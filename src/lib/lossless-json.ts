// Converts a value to JSON, or names the part of it that JSON cannot express, so that nothing of a value is lost without a word.

const objectsWithoutJson =
  /^(?:Response|Request|Headers|ReadableStream|Promise|ArrayBuffer|(?:Async)?Generator|(?:Weak)?(?:Map|Set)|Error|RegExp)$/;

/**
 * The JSON of a value; undefined for undefined. A field that is undefined is left out, and an object with `toJSON`, such as a date, is what
 * `toJSON` returns. Throws an error such as `"rows" is a Map, which has no JSON form` for a value that JSON would leave out, empty or replace by null,
 * and what a getter or `toJSON` throws.
 */
export function losslessJson(value: unknown): string | undefined {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, field: unknown) {
    const loss = lossOf(field, this[key]);
    if (loss === null) return field;
    throw new TypeError(`${key === "" ? "it" : `"${key}"`} is ${loss}, which has no JSON form`);
  }) as string | undefined;
}

/** `original` is the value before its `toJSON`. */
function lossOf(value: unknown, original: unknown): string | null {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? null : String(value);
    case "function":
    case "symbol":
    case "bigint":
      return `a ${typeof value}`;
    case "object": {
      // The JSON of an invalid date is null.
      if (value === null) return original instanceof Date ? "an invalid date" : null;
      const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
      return objectsWithoutJson.test(name) || ArrayBuffer.isView(value) ? `a ${name}` : null;
    }
    default:
      return null;
  }
}
