// Errors of a provider of the project's own. The message of an error of the program, such as a `TypeError`, is for the author of the provider,
// who reads it in the failure of the run; the failures of packages of the AI SDK keep their status and their body.

/** The longest message of an error. It is cut to the length of a failure after secrets are removed: a part of a secret is not recognised. */
const longestMessage = 100_000;

/** The error to classify for a thrown value. An error may have `statusCode`, the HTTP status that its class follows from. Never throws. */
export function ownError(thrown: unknown): Error {
  try {
    return convertError(thrown);
  } catch {
    return new Error("The provider threw a value that cannot be read.");
  }
}

function convertError(thrown: unknown): Error {
  if (thrown instanceof Error && /^(?:AI_\w+|RefusedRequest|AbortError)$/.test(thrown.name) && isReadable(thrown))
    return thrown;
  const { name, message, statusCode, status, cause } = readError(thrown);
  const text = `${name === "Error" ? "" : `${name}: `}${message}`.slice(0, longestMessage);
  const error = cause === undefined ? new Error(text) : new Error(text, { cause: new Error(cause) });
  const code = statusCode ?? status;
  return typeof code === "number" ? Object.assign(error, { statusCode: code }) : error;
}

/** Whether the classification can read the fields of an error, each of which may be a function of the project. */
function isReadable({ message, cause, ...others }: Error): boolean {
  try {
    return typeof message === "string" && typeof JSON.stringify([others, messageOf(cause)]) === "string";
  } catch {
    return false;
  }
}

/** The message of the cause of an error. */
function messageOf(cause: unknown): string | undefined {
  return cause instanceof Error ? String(cause.message) : undefined;
}

interface ErrorFields {
  name: string;
  message: string;
  statusCode?: unknown;
  status?: unknown;
  /** The message of the cause. */
  cause?: string | undefined;
}

function readError(thrown: unknown): ErrorFields {
  if (!(thrown instanceof Error)) {
    const value = typeof thrown === "string" ? JSON.stringify(thrown) : textOf(thrown);
    return { name: "Error", message: `The provider threw ${value}.` };
  }
  const { name, message, cause } = thrown;
  const { statusCode, status } = thrown as Partial<ErrorFields>;
  return {
    name,
    message: message === "" ? "The provider threw an error without a message." : message,
    statusCode,
    status,
    cause: messageOf(cause),
  };
}

/** The longest text that a message shows. A longer one is not cut, because a part of a secret is not recognised. */
const longestText = 100;

/** A value in a message. */
export function textOf(value: unknown): string {
  if (typeof value === "string")
    return value.length > longestText ? `a text of ${String(value.length)} characters` : JSON.stringify(value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "function" ? "a function" : String(value);
}
