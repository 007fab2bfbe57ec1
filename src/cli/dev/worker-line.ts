// Reads the JSON of a line of the local server's log. The Worker writes such lines, and a tool may write any text, also one in a similar form:
// so the length and the values of a line are bounded, and the fields of an entry have the types that its readers expect.

import { isObject } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";
import { parseBoundedOrNull } from "#lib/untrusted/bounded-json.ts";

/** The Worker cuts the texts of its entries to 2,000 characters each. */
const longestLine = 65_536;
const bounds = { values: 1000, depth: 16 };

/** The fields that are texts in every entry that has them. */
const textFields = [
  ..."event level thread_id call_id tool file message cause reason variable stack method path reference agent".split(
    " ",
  ),
  "status",
];

/** The entry of a line; null if the text is no entry, or has a field of another type. */
export function readWorkerLine(text: string): Fields | null {
  if (text.length > longestLine) return null;
  const entry = parseBoundedOrNull(text, bounds);
  if (!isObject(entry) || typeof entry["event"] !== "string") return null;
  const isText = (name: string) => entry[name] == null || typeof entry[name] === "string";
  return textFields.every(isText) ? entry : null;
}
