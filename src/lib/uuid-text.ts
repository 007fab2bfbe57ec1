// What ids of threads look like, so that anything else is refused before it is looked up.

const random = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const derived = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The id in lower case when it is a version 4 UUID, else null. */
export function randomUuidText(text: string): string | null {
  return matching(random, text);
}

/** The same for version 8: ids that are made from names. */
export function derivedUuidText(text: string): string | null {
  return matching(derived, text);
}

/** The same for either: the ids that threads have. */
export function threadUuidText(text: string): string | null {
  return randomUuidText(text) ?? derivedUuidText(text);
}

function matching(shape: RegExp, text: string): string | null {
  const lower = text.toLowerCase();
  return shape.test(lower) ? lower : null;
}
