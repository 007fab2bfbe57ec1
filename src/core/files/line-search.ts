// Finds the matching lines of a file, chunk by chunk, so that no file is whole in memory. A line or a character may continue in the next
// chunk. Work is limited by counting, because a Worker's clock does not advance while it computes.

import { RE2JS, RE2JSException } from "re2js";

import { refuse } from "#contract/error.ts";
import type { GrepResult } from "#spec/index.ts";

import { classSize, unfoldedSize } from "../schema/unfolded-pattern.ts";
import { SearchWork } from "./search-work.ts";

/** Maximal instructions that a pattern's repetitions may expand to. Compiling that many takes about 50 ms and cannot be interrupted. */
const unfoldedLimit = 10_000;

/** Maximal work of a pattern's classes of characters. Compiling that much takes about 50 ms. */
const classLimit = 1000;

/** Maximal UTF-16 units of a pattern, of the searched part of a line, and of a line in a result. */
const patternLimit = 1000;
const lineLimit = 64 * 1024;
const shownLimit = 500;

/** Maximal matching lines of one file in a result. */
const matchLimit = 1000;

/** Bytes at the beginning of a file that are checked to decide whether it is text. */
const sniffed = 8192;

/** Compiles a pattern for an engine that runs in linear time. Throws `invalid_request` with the reason for an invalid pattern. */
export function linePattern(pattern: unknown): RE2JS {
  if (typeof pattern !== "string" || pattern === "") throw bad("must be a text");
  if (pattern.length > patternLimit) {
    throw bad(`has ${pattern.length} characters; at most ${patternLimit} are taken`);
  }
  if (unfoldedSize(pattern) > unfoldedLimit) {
    throw bad(`cannot be searched for: invalid repeat count: unfolded it has more than ${unfoldedLimit} steps`);
  }
  if (classSize(pattern) > classLimit) {
    throw bad(
      "has too many categories of characters, or too many ranges outside of ASCII without case; use fewer of them",
    );
  }
  try {
    return RE2JS.compile(pattern);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    throw bad(`cannot be searched for: ${why(thrown.message)}`);
  }
}

/** The reason why a pattern is invalid: the engine's message, or our explanation of a feature that it does not support. */
function why(message: string): string {
  const found = message.replace(/^error parsing regexp: /, "");
  if (/`\(\?<?[=!]|named capture: `\(\?<[=!]/.test(found)) {
    return `looking ahead or behind takes more than linear time and is not there (${found})`;
  }
  if (/escape sequence: `\\\d/.test(found)) return `references to groups take more than linear time (${found})`;
  return found;
}

/** Matching lines of one file. `cut`: a limit left lines, or ends of lines, unsearched. */
export interface MatchingLines {
  matches: GrepResult["matches"];
  cut: boolean;
}

/** The parameters of a search. `limit` is the maximum number of matching lines. */
export interface LineSearch {
  pattern: RE2JS;
  limit: number;
  work: SearchWork;
}

/** Returns the matching lines; null for a file that is not text. */
export async function matchingLines(
  chunks: AsyncIterable<{ data: Uint8Array }>,
  { pattern, limit, work }: LineSearch,
): Promise<MatchingLines | null> {
  const matches: GrepResult["matches"] = [];
  // Not fatal: a file in another encoding is searched as far as it can be decoded.
  const decoder = new TextDecoder();
  const instructions = pattern.programSize();
  const reach = Math.min(lineLimit, SearchWork.reach(instructions));
  const most = Math.min(limit, matchLimit);
  let rest = "";
  let number = 0;
  let first = true;
  let cut = false;
  /** Searches one line. Returns false if a limit ends the search of this file. */
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
    // Of a line that continues in the next chunk, the part beyond the limit is dropped. One extra unit marks it as cut.
    if (rest.length > lineLimit) rest = rest.slice(0, lineLimit + 1);
  }
  rest += decoder.decode();
  if (rest !== "" && !look(rest)) cut ||= matches.length < most;
  return { matches, cut };
}

function shown(line: string): string {
  return line.length <= shownLimit ? line : `${line.slice(0, shownLimit).toWellFormed()}…`;
}

function bad(why: string) {
  return refuse("invalid_request", `The pattern ${why}.`, { fields: [{ path: "grep", message: why }] });
}
