// Globs over paths: picomatch says what a pattern means, RE2 matches it, so that no pattern takes more than the path's
// length (architecture §7).

import picomatch from "picomatch/posix";
import { RE2JS } from "re2js";

import { refuse } from "#contract/error.ts";

/** UTF-16 units of a glob at most. */
const globLimit = 512;

/**
 * What picomatch writes to keep `.` and `..` from matching, and names from being empty. Stored paths hold neither, and RE2
 * has no word for looking around.
 */
const lookAround = [
  String.raw`(?!(?:^|\/)\.{1,2}(?:\/|$))`,
  String.raw`(?!\.{1,2}(?:\/|$))`,
  String.raw`(?!\.{0,1}(?:\/|$))`,
  "(?=.)",
];

// With this picomatch lets `a/**/x` end after `a`, and then looks ahead to keep it from that; `a` is never below itself.
const orEnd = String.raw`\/|$)`;

/** Whether a path matches; `weight` times a path's length bounds what one answer takes. */
export type PathMatcher = ((path: string) => boolean) & { readonly weight: number };

/**
 * Tells whether a path matches. A leading `/` of the pattern stands for that of the path, so that both are taken off: for
 * `/` and a globstar behind it picomatch would want a folder more, and overlook the root's own files.
 */
export function globMatcher(glob: unknown): PathMatcher {
  if (typeof glob !== "string" || glob === "") throw bad("must be a text such as **/*.json");
  if (glob.length > globLimit) throw bad(`has ${glob.length} characters; at most ${globLimit} are taken`);
  const relative = glob.replace(/^\//, "");
  if (relative === "") return Object.assign(() => false, { weight: 0 });
  const pattern = compiled(relative);
  return Object.assign((path: string) => pattern.test(path.slice(1)), { weight: pattern.programSize() });
}

function compiled(glob: string): RE2JS {
  try {
    // Dots are ordinary here: a thread's files have no hidden ones.
    const { source } = picomatch.makeRe(glob, { dot: true, nonegate: true, posix: true, strictSlashes: true });
    const plain = lookAround.reduce((text, piece) => text.replaceAll(piece, ""), source);
    const below = plain.replaceAll(orEnd, String.raw`\/)`);
    // It escapes letters of other scripts too, which mean themselves; RE2 takes no such escape.
    return RE2JS.compile(below.replace(/\\([^])/g, (escape, unit: string) => (unit < "\u0080" ? escape : unit)));
  } catch {
    throw bad("is not one that can be matched here: use *, **, ?, [abc], {a,b}, @(a|b), +(a|b); !(a) is not there");
  }
}

function bad(why: string) {
  return refuse("invalid_request", `The glob ${why}.`, { fields: [{ path: "glob", message: why }] });
}
