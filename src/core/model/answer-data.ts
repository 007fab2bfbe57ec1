// Reads the JSON of a structured answer from its text. The text is what rows store, so the data of an answer is the same after a crash.

import { keptBounds } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

/**
 * The JSON object or list that an answer consists of; undefined if it is anything else. `texts` are the texts of the answer's blocks. If
 * the joined texts are not JSON, only the last text is parsed: a model may write a sentence before it calls the tool that returns the
 * answer.
 */
export function answerData(texts: readonly string[]): Json | undefined {
  const whole = objectOrList(texts.join(""));
  return whole === undefined && texts.length > 1 ? objectOrList(texts.at(-1) ?? "") : whole;
}

function objectOrList(text: string): Json | undefined {
  const trimmed = text.trim();
  const json = withoutCodeBlock(trimmed);
  // The check of the first character keeps free text, which is most answers, from being parsed.
  if (!json.startsWith("{") && !json.startsWith("[")) return undefined;
  try {
    return parseBoundedJson(json, keptBounds) as Json;
  } catch {
    // The text is not JSON, or exceeds the bounds: the answer has no data.
    return undefined;
  }
}

/** The text inside of a code block of Markdown, which models without a JSON mode write around the whole answer. */
function withoutCodeBlock(text: string): string {
  const mark = "```";
  const lineEnd = text.indexOf("\n");
  if (lineEnd === -1 || !text.startsWith(mark) || !text.endsWith(mark)) return text;
  const language = text.slice(mark.length, lineEnd).trim();
  return language === "" || language === "json" ? text.slice(lineEnd + 1, -mark.length).trim() : text;
}
