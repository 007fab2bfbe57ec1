// JSON with its structure shown. What is no JSON stays as it is, with the reason.

/** The text, or why there is none. */
export type PrettyJson = { valid: true; text: string } | { valid: false; why: string };

/** The same value, indented. A number that cannot be held as it is written would come out as another: such a text is left alone. */
export function prettyJson(text: string): PrettyJson {
  try {
    return { valid: true, text: JSON.stringify(JSON.parse(text, exactly), null, 2) };
  } catch (thrown) {
    return { valid: false, why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function exactly(_: string, value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError("A number in it is too large to be shown exactly.");
  }
  return value;
}
