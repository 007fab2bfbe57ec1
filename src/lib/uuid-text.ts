// What a random UUID looks like, so that anything else is refused before it is looked up.

const shape = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The id in lower case when it is a version 4 UUID, else null. */
export function randomUuidText(text: string): string | null {
  const lower = text.toLowerCase();
  return shape.test(lower) ? lower : null;
}
