// Sorts the errors that an AI SDK package reports within a stream into three kinds: pieces of a newer protocol, which are ignored; a stream
// that ended early, which counts as an interrupted connection; and errors. An error whose message is a dump of the chunk gets a readable
// message.

import { isObject, type Fields } from "#lib/json-value.ts";

import type { ProviderProfile, UnknownPiece } from "./provider/provider-profile.ts";

/** The chunk that does not match the package's schema; null for any other error. */
function unreadChunk(error: unknown): Fields | null {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError" || !("value" in error)) return null;
  return isObject(error.value) ? error.value : null;
}

/** The unknown piece, if the error only means that the provider extended its protocol; null for any other error. */
export function unknownPiece(error: unknown, profile: ProviderProfile): UnknownPiece | null {
  const chunk = unreadChunk(error);
  if (chunk === null || typeof chunk["type"] !== "string") return null;
  if (profile.unknownPiece !== undefined) return profile.unknownPiece(chunk);
  return chunk["type"] === "error" ? null : { block: null };
}

/** Whether a package reports only that its stream ended too early. */
export function isCut(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === "AI_InvalidResponseDataError" &&
    /without a finish reason/.test(error.message)
  );
}

/** Replaces a message that is a dump of the chunk by a readable one. The error keeps the chunk, which `classify-failure.ts` reads. */
export function withReadableMessage(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = messageOfUnreadable(error.name);
  return message === null ? error : renamed(error, message);
}

/** Returns the message for an error of the provider's package about an unreadable chunk, by the error's name; null for any other error. */
export function messageOfUnreadable(name: unknown): string | null {
  if (name === "AI_TypeValidationError") {
    return "The provider sent a piece of its answer in a shape that its protocol does not have.";
  }
  return name === "AI_JSONParseError" ? "The provider sent a piece of its answer that is no JSON." : null;
}

// Names of errors of the language, and of the packages' checks. Their messages are texts for the authors of a program.
const programErrors = /^(?:TypeError|RangeError|ReferenceError|SyntaxError|EvalError|URIError|\$?ZodE\w+)$/;
const packageErrors = /^(?:AI_\w+|Unsupported\w*Error)$/;

/**
 * Returns the message for an error that a package threw, by the error's name; null for any other error. `isBegun`: the provider had accepted
 * the request.
 */
export function messageOfPackage(name: unknown, isBegun: boolean): string | null {
  if (typeof name !== "string" || name === "AI_APICallError" || name === "AI_EmptyResponseBodyError") return null;
  if (!programErrors.test(name) && !packageErrors.test(name)) return null;
  return isBegun
    ? "The provider sent a piece of its answer in a shape that its protocol does not have."
    : "The request cannot be converted to the provider's protocol. The log has the reason.";
}

/** The longest text of a package in the log. */
const longestText = 500;

/** The text of a package's error for the log, if users read another message; null for any other error. */
export function textOfPackage(error: unknown, { broken }: { broken: boolean }): string | null {
  if (broken || !(error instanceof Error) || messageOfPackage(error.name, true) === null) return null;
  return `${error.name}: ${error.message}`.slice(0, longestText);
}

function renamed(error: Error, message: string): Error {
  const plain = new Error(message, { cause: error.cause });
  plain.name = error.name;
  return "value" in error ? Object.assign(plain, { value: error.value }) : plain;
}
