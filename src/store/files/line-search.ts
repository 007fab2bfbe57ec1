// Finds the lines of a file that match, chunk by chunk: a line may cross chunks, a character too, and no file is ever whole
// in memory. Bounded by counts, since a Worker's clock stands still while it computes.

import { RE2JS, RE2JSException } from "re2js";

import { refuse } from "#contract/error.ts";
import type { GrepResult } from "#spec/index.ts";

import { unfoldedSize } from "./pattern-size.ts";
import { SearchWork } from "./search-work.ts";

/** Instructions that a pattern's repetitions may unfold to. Compiling that many takes some 50 ms and cannot be interrupted. */
const unfoldedLimit = 10_000;

/** UTF-16 units of a pattern, of a line that is searched, and of a line in an answer. */
const patternLimit = 1000;
const lineLimit = 64 * 1024;
const shownLimit = 500;

/** Matching lines of one file in an answer. */
const matchLimit = 1000;

/** Bytes at the beginning of a file that say whether it is text. */
const sniffed = 8192;

/** A pattern on a linear-time engine. Refused with the place where it is wrong. */
export function linePattern(pattern: unknown): RE2JS {
  if (typeof pattern !== "string" || pattern === "") throw bad("must be a text");
  if (pattern.length > patternLimit) {
    throw bad(`has ${pattern.length} characters; at most ${patternLimit} are taken`);
  }
  if (unfoldedSize(pattern) > unfoldedLimit) {
    throw bad(`cannot be searched for: invalid repeat count: unfolded it has more than ${unfoldedLimit} steps`);
  }
  try {
    return RE2JS.compile(pattern);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    throw bad(`cannot be searched for: ${why(thrown.message)}`);
  }
}

/** What is wrong, with the place, in the engine's words; what it has no words for, in ours. */
function why(message: string): string {
  const found = message.replace(/^error parsing regexp: /, "");
  if (/`\(\?<?[=!]|named capture: `\(\?<[=!]/.test(found)) {
    return `looking ahead or behind takes more than linear time and is not there (${found})`;
  }
  if (/escape sequence: `\\\d/.test(found)) return `references to groups take more than linear time (${found})`;
  return found;
}

/** Lines of one file, and whether a bound left something out. */
export interface MatchingLines {
  matches: GrepResult["matches"];
  cut: boolean;
}

/** What is searched for, how many lines are wanted, and the work that is counted. */
export interface LineSearch {
  pattern: RE2JS;
  limit: number;
  work: SearchWork;
}

/** The matching lines, as many as asked for; null for a file that is no text. */
export async function matchingLines(
  chunks: AsyncIterable<{ data: Uint8Array }>,
  { pattern, limit, work }: LineSearch,
): Promise<MatchingLines | null> {
  const matches: GrepResult["matches"] = [];
  // Not fatal: a file of another encoding is searched as far as it reads.
  const decoder = new TextDecoder();
  const instructions = pattern.programSize();
  const reach = Math.min(lineLimit, SearchWork.reach(instructions));
  const most = Math.min(limit, matchLimit);
  let rest = "";
  let number = 0;
  let first = true;
  let cut = false;
  /** False where a bound ends the search of this file. */
  const look = (line: string): boolean => {
    number += 1;
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    const searched = text.slice(0, reach);
    cut ||= searched.length < text.length;
    if (!work.match(searched.length, instructions)) return false;
    if (pattern.matcher(searched).find()) matches.push({ line: number, content: shown(text) });
    return matches.length < most;
  };
  for await (const { data } of chunks) {
    if (first && data.subarray(0, sniffed).includes(0)) return null;
    first = false;
    const lines = (rest + decoder.decode(data, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    work.read({ bytes: data.byteLength });
    for (const line of lines) {
      if (!look(line)) return { matches, cut: true };
      if (work.mustPause) await work.pause();
    }
    // A line without an end: what is beyond the limit is not searched, so it need not be kept. One unit more marks it as cut.
    if (rest.length > lineLimit) rest = rest.slice(0, lineLimit + 1);
  }
  rest += decoder.decode();
  if (rest !== "" && !look(rest)) cut ||= matches.length < most;
  return { matches, cut };
}

function shown(line: string): string {
  return line.length <= shownLimit ? line : `${line.slice(0, shownLimit)}…`;
}

function bad(why: string) {
  return refuse("invalid_request", `The pattern ${why}.`, { fields: [{ path: "grep", message: why }] });
}
