// Checks the form of thread ids, so that other texts are refused before any lookup.

const random = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const derived = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The id in lower case when it is a version 4 UUID, else null. */
export function randomUuidText(text: string): string | null {
  return matching(random, text);
}

/** The UUID in lower case if it is of version 8, the form of ids made from names; else null. */
export function derivedUuidText(text: string): string | null {
  return matching(derived, text);
}

/** The UUID in lower case if it is of version 4 or 8, the two forms of thread ids; else null. */
export function threadUuidText(text: string): string | null {
  return randomUuidText(text) ?? derivedUuidText(text);
}

function matching(shape: RegExp, text: string): string | null {
  const lower = text.toLowerCase();
  return shape.test(lower) ? lower : null;
}
