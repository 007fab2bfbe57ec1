// The title of a thread that no caller named: the beginning of the first message of a user.

import { textBeginning } from "#lib/text-beginning.ts";
import { isVisible } from "#lib/visible-text.ts";

import type { MessageRecord } from "./record.ts";
import { textOf } from "./view.ts";

/** The maximum number of characters (Unicode code points) of such a title. */
const longest = 80;

/** The title that a message gives to its thread; null if it gives none. */
export function titleOfMessage({ role, depth, silent, parts }: MessageRecord): string | null {
  const text = role === "user" && depth === 0 && !silent ? (textOf(parts) ?? "") : "";
  if (!isVisible(text)) return null;
  // A long text is not searched for white space as a whole.
  const line = textBeginning(text, 20 * longest)
    .replaceAll(/\s+/g, " ")
    .trim();
  const letters = Array.from(line);
  const end = letters.slice(0, longest - 1).join("").length;
  const title = letters.length <= longest ? line : `${textBeginning(line, end).trimEnd()}…`;
  return isVisible(title) ? title.toWellFormed() : null;
}
