// Half a surrogate pair, left behind where some text was cut, is legal in our strings but refused by providers, and would
// make every later request of that thread fail. One place mends it for all text of a request.

// JSON writes whole pairs as they are, so an escaped surrogate is always a lone one. An even number of backslashes before
// it means that the backslash itself was escaped and the letters are just letters.
const loneSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi;

/** A JSON request body in which lone surrogates are replaced by U+FFFD. */
export function wellFormedBody(json: string): string {
  return json.replace(loneSurrogate, "$1\uFFFD");
}
