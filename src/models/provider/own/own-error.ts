// Errors of a provider of the project's own. The message of an error of the program, such as a `TypeError`, is for the author of the provider,
// who reads it in the failure of the run; the failures of packages of the AI SDK keep their status and their body.

/** The longest message of an error. */
const longestMessage = 1_000;

/** The error to classify for a thrown value. An error may have `statusCode`, the HTTP status that its class follows from. */
export function ownError(thrown: unknown): Error {
  if (thrown instanceof Error && /^(?:AI_\w+|RefusedRequest|AbortError)$/.test(thrown.name)) return thrown;
  const { name, message, statusCode, status, cause } = readError(thrown);
  const error = new Error(`${name === "Error" ? "" : `${name}: `}${message}`.slice(0, longestMessage), { cause });
  const code = statusCode ?? status;
  return typeof code === "number" ? Object.assign(error, { statusCode: code }) : error;
}

interface ErrorFields {
  name: string;
  message: string;
  statusCode?: unknown;
  status?: unknown;
  cause?: unknown;
}

function readError(thrown: unknown): ErrorFields {
  if (!(thrown instanceof Error)) return { name: "Error", message: `The provider threw ${textOf(thrown)}.` };
  const { name, message, cause } = thrown;
  const { statusCode, status } = thrown as Partial<ErrorFields>;
  return {
    name,
    message: message === "" ? "The provider threw an error without a message." : message,
    statusCode,
    status,
    cause,
  };
}

/** A value in a message. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "function" ? "a function" : String(value);
}
