// Texts and names from outside, such as those of an MCP server or of an OpenAPI document, which are untrusted: characters that are not shown are
// removed, and lengths are bounded.

import { sha256Hex } from "#lib/sha256.ts";

/** Control characters except line breaks and tabs, and characters that are invisible or change the direction of a text. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns the text without hidden characters, cut to at most `limit` UTF-16 units. */
export function outsideText(text: string, limit: number): string {
  const shown = text.toWellFormed().replace(hidden, "");
  return shown.length <= limit ? shown : `${shown.slice(0, limit - 1).toWellFormed()}…`;
}

/**
 * Characters that hide instructions in a longer text: those that change the direction of a text, tags (U+E0000 to U+E007F), variation
 * selectors that emoji do not need, and characters without width. Joiners stay, because words of some languages and emoji contain them.
 */
const deceptive =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{1BCA0}-\u{1BCA3}\u{E0000}-\u{E0FFF}]|[\u{FE00}-\u{FE0D}]/gu;

/**
 * Returns a text from outside, such as the text of a page, without characters that a person does not see and a model reads. A single half of a
 * pair of surrogates is replaced before, because a removal could join two of them to a tag.
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(deceptive, "");
}

/** The longest name that every provider accepts. */
const nameLength = 64;

/** The number of hex digits of the digest at the end of a changed name. */
const digestLength = 8;

/**
 * Returns the name with which a model calls a server's tool. Characters that providers refuse become `_`. A name that is too long or was
 * changed ends with a digest of the tool's name on the server, so that two tools do not get the same name. An empty prefix adds nothing.
 */
export async function toolName(prefix: string, name: string): Promise<string> {
  const whole = prefix === "" ? name : `${prefix}__${name}`;
  const plain = whole.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if (plain === whole && plain.length <= nameLength) return plain;
  const digest = (await sha256Hex(name)).slice(0, digestLength);
  return `${plain.slice(0, nameLength - digestLength - 1)}_${digest}`;
}
