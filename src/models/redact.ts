// Removes secrets from text before it is shown or stored: the keys of the deployment, and every text in the form of a key or of a bearer
// token. Invariant: every message, log chunk and error of a model request passes through a redactor.

import type { ModelPart } from "#core/ports/model-port.ts";

/** Returns a text without its secrets. */
export type Redact = (text: string) => string;

const shapes: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[\w*.-]{6,}/g, "[redacted]"],
  [/\bAIza[\w-]{20,}/g, "[redacted]"],
  [/([?&](?:api_?)?key=)[^&\s"'\\]+/gi, "$1[redacted]"],
  [/\b(signature=)[0-9a-f]{64}/gi, "$1[redacted]"],
  [/\b(bearer\s+)[\w.~+/=-]{6,}/gi, "$1[redacted]"],
];

/** The shortest value that is removed. Shorter values also occur in ordinary text. */
export const shortestSecret = 6;

/** Creates a redactor for these values and for the forms of common keys (architecture §7). */
export function createRedact(secrets: readonly string[]): Redact {
  const known = secrets
    .filter((secret) => secret.length >= shortestSecret)
    // Longer values first, so that a key that contains another one is removed as a whole.
    .toSorted((left, right) => right.length - left.length)
    // As it is, in JSON, and in a form: a server may repeat a request in its error.
    .flatMap((secret) => [
      ...new Set([
        secret,
        JSON.stringify(secret).slice(1, -1),
        new URLSearchParams({ "": secret }).toString().slice(1),
      ]),
    ]);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, "[redacted]");
    for (const [shape, replacement] of shapes) clean = clean.replace(shape, replacement);
    return clean;
  };
}

/**
 * The maximum number of UTF-16 units of a provider's text about its stop reason or failure. The text is stored in rows, so it has to be
 * short. So is the name of the model that answered.
 */
const longestDetail = 500;

/** Removes secrets from the provider's texts in the last part of a stream, and bounds their length. */
export function withoutSecrets(part: Extract<ModelPart, { type: "finish" | "error" }>, redact: Redact): ModelPart {
  if (part.type === "finish") {
    const { stop_detail, sources, ...finish } = { ...part, model_id: part.model_id?.slice(0, longestDetail) ?? null };
    const detail = stop_detail === undefined ? {} : { stop_detail: redact(stop_detail).slice(0, longestDetail) };
    const cited = sources?.map(({ url, title }) => ({
      url: redact(url),
      ...(title === undefined ? {} : { title: redact(title) }),
    }));
    return { ...finish, ...detail, ...(cited === undefined ? {} : { sources: cited }) };
  }
  return { ...part, failure: { ...part.failure, message: redact(part.failure.message).slice(0, longestDetail) } };
}
