// Parses JSON that this deployment wrote: rows, sealed values, headers between its objects, and bodies of its own requests. Its size was
// bounded when it was written, so it is not counted. Text from outside is parsed by `bounded-json.ts`.

/** The parsed value. Throws a `SyntaxError` for text that is not JSON. */
export function parseOwnJson(text: string): unknown {
  return JSON.parse(text);
}

/** The parsed value; undefined for text that is not JSON, such as a file that was not completely written. */
export function ownJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a response of another object of this deployment. */
export function ownResponseJson(response: Response): Promise<unknown> {
  return response.json();
}

/** The value of a tool result that a thread stored as text: JSON of an object or a list is parsed, any other text stays as it is. */
export function ownResultValue(text: string): unknown {
  return /^\s*[[{]/.test(text) ? (ownJsonOrUndefined(text) ?? text) : text;
}
