// Cuts secrets out of text that is about to be shown or stored: the keys this deployment uses, and whatever looks like a
// key or a bearer token. Invariant: no message, log chunk or error of a model call leaves this layer without passing here.

/** Text in, the same text without secrets out. */
export type Redact = (text: string) => string;

const shapes: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[\w*.-]{6,}/g, "[redacted]"],
  [/\bAIza[\w-]{20,}/g, "[redacted]"],
  [/([?&](?:api_?)?key=)[^&\s"'\\]+/gi, "$1[redacted]"],
  [/\b(bearer\s+)[\w.~+/=-]{6,}/gi, "$1[redacted]"],
];

/** Shorter values would cut ordinary words out of ordinary text. */
export const shortestSecret = 6;

/** Makes a redactor that knows these values besides the shapes of common keys (architecture §7). */
export function createRedact(secrets: readonly string[]): Redact {
  const known = secrets
    .filter((secret) => secret.length >= shortestSecret)
    // The longer first, so that a key that contains another is cut whole.
    .toSorted((left, right) => right.length - left.length)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, "[redacted]");
    for (const [shape, replacement] of shapes) clean = clean.replace(shape, replacement);
    return clean;
  };
}
