// Matches paths by globs. picomatch translates a glob to a regular expression, and RE2 executes it, so that the time of a match is
// proportional to the path's length for every pattern (architecture §7).

import picomatch from "picomatch/posix";
import { RE2JS } from "re2js";

import { refuse } from "#contract/error.ts";

/** Maximal UTF-16 units of a glob. */
const globLimit = 512;

/**
 * Lookarounds that picomatch generates to exclude `.`, `..` and empty names. They are removed, because stored paths contain none of
 * these and RE2 does not support lookarounds.
 */
const lookAround = [
  String.raw`(?!(?:^|\/)\.{1,2}(?:\/|$))`,
  String.raw`(?!\.{1,2}(?:\/|$))`,
  String.raw`(?!\.{0,1}(?:\/|$))`,
  "(?=.)",
];

// With the alternative `|$`, `a/**/*` would match `a`. picomatch excludes that by the lookahead `(?=.)`, which is removed as well, so this
// alternative is removed too.
const orEnd = String.raw`\/|$)`;

/** Whether a path matches. `weight` times the path's length bounds the work of one call. */
export type PathMatcher = ((path: string) => boolean) & { readonly weight: number };

/**
 * Compiles a glob. A leading `/` is removed from pattern and path: with it, picomatch requires a folder before `**` and misses the
 * files of the root.
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
    // `dot`: names that begin with a dot are ordinary names in a thread's files.
    const { source } = picomatch.makeRe(glob, { dot: true, nonegate: true, posix: true, strictSlashes: true });
    const plain = lookAround.reduce((text, piece) => text.replaceAll(piece, ""), source);
    const below = plain.replaceAll(orEnd, String.raw`\/)`);
    // picomatch also escapes letters of other scripts. RE2 rejects such escapes, so they are removed.
    return RE2JS.compile(below.replace(/\\([^])/g, (escape, unit: string) => (unit < "\u0080" ? escape : unit)));
  } catch {
    throw bad("is not one that can be matched here: use *, **, ?, [abc], {a,b}, @(a|b), +(a|b); !(a) is not there");
  }
}

function bad(why: string) {
  return refuse("invalid_request", `The glob ${why}.`, { fields: [{ path: "glob", message: why }] });
}
