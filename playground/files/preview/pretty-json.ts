// Formats JSON. Text that is not JSON stays unchanged, with the reason.

/** The formatted text, or the reason why there is none. */
export type PrettyJson = { valid: true; text: string } | { valid: false; why: string };

/** The same value, indented. A text stays unchanged if it has a number that JavaScript cannot represent exactly. */
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
