// Globs: picomatch defines their meaning, and a linear engine matches them.

import fc from "fast-check";
import picomatch from "picomatch/posix";
import { expect, test } from "vitest";

import { globMatcher } from "#core/files/glob.ts";

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { codeOf, plain, stage } from "./file-stage.ts";

const seed = Date.now() % 2 ** 31;
console.info(`seed ${seed}`);

const paths = [
  "/a.json",
  "/b.txt",
  "/.env",
  "/a/b.json",
  "/a/b/c.json",
  "/a/.git/x",
  "/ä ö.txt",
  "/a/[x].txt",
  "/A.JSON",
  "/日本/語.md",
];

async function found(glob: string): Promise<string[]> {
  const { files } = stage(memoryFileRows());
  for (const path of paths) await files.write(path, "x", plain);
  return (await files.find(glob)).paths;
}

test("A glob matches as picomatch does, also names that begin with a dot, and may begin with a slash", async () => {
  expect(await found("*")).toEqual(["/.env", "/A.JSON", "/a.json", "/b.txt", "/ä ö.txt"]);
  expect(await found("/*")).toEqual(["/.env", "/A.JSON", "/a.json", "/b.txt", "/ä ö.txt"]);
  expect(await found("*.json")).toEqual(["/a.json"]);
  expect(await found("**/*.json")).toEqual(["/a.json", "/a/b.json", "/a/b/c.json"]);
  expect(await found("/**/*.json")).toEqual(["/a.json", "/a/b.json", "/a/b/c.json"]);
  expect(await found("**")).toEqual([...paths].sort());
  expect(await found("/**")).toEqual([...paths].sort());
  expect(await found("a/**")).toEqual(["/a/.git/x", "/a/[x].txt", "/a/b.json", "/a/b/c.json"]);
  expect(await found("a/*/*")).toEqual(["/a/.git/x", "/a/b/c.json"]);
  expect(await found("{a,b}.{json,txt}")).toEqual(["/a.json", "/b.txt"]);
  expect(await found("[ab].*")).toEqual(["/a.json", "/b.txt"]);
  expect(await found("[!a]*")).toEqual(["/.env", "/A.JSON", "/b.txt", "/ä ö.txt"]);
  expect(await found("[[:upper:]]*")).toEqual(["/A.JSON"]);
  expect(await found("?.json")).toEqual(["/a.json"]);
  expect(await found("ä*")).toEqual(["/ä ö.txt"]);
  expect(await found("ä ?.txt")).toEqual(["/ä ö.txt"]);
  expect(await found("日本/*")).toEqual(["/日本/語.md"]);
  expect(await found("a/\\[x\\].txt")).toEqual(["/a/[x].txt"]);
  expect(await found("@(a|b).*")).toEqual(["/a.json", "/b.txt"]);
  expect(await found("none")).toEqual([]);
  expect(await found("/")).toEqual([]);
  expect(await found(".*")).toEqual(["/.env"]);
  expect(await found("**/.*/*")).toEqual(["/a/.git/x"]);
  expect(await found("a.json/**/*")).toEqual([]);
  expect(await found("a/**/*.json")).toEqual(["/a/b.json", "/a/b/c.json"]);
  expect(await found("../**")).toEqual([]);
});

/** Characters of one UTF-16 unit, so that `?` means the same to both engines. */
const letters = ["a", "a", "b", "c", ".", "-", "é", "日", "1", "A", "]", "(", "!"];

const name = fc
  .string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 })
  .filter((one) => !one.endsWith("."));
const path = fc
  .array(fc.oneof(fc.constantFrom("a", "b", "c", ".a", "ab", "é"), name), { minLength: 1, maxLength: 4 })
  .map((names) => `/${names.join("/")}`);
/** Pieces of globs. */
const pieces =
  String.raw`* ** /**/ **/ /** / /* ? [ab] [!ab] [a-c] [^.] [[:alpha:]] \* \[ {a,b} {a,b/c} {a,{b,c}} {1..3} {,a}
  {.*,b} {a.*,b} (a|b) (a.*) @(a|b) +(a|b) *(a|b) ?(a) . *. .* a b é 日 -`.split(/\s+/);

const piece = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, { weight: 1, arbitrary: name });

const glob = fc
  .tuple(fc.constantFrom("", "", "/"), fc.array(piece, { minLength: 1, maxLength: 6 }))
  .map(([slash, pieces]) => slash + pieces.join(""))
  .filter((one) => one !== "/");

// The result of picomatch with its own engine, except for one difference: a globstar between two slashes does not match the folder's own
// name. Its pattern has an alternative for that, which matters if the part after it may be empty, as in `a/**/?(b)` and `a`.
function reference(pattern: string): (given: string) => boolean {
  const options = { dot: true, nonegate: true, posix: true, strictSlashes: true };
  const { source } = picomatch.makeRe(pattern.replace(/^\//, ""), options);
  const relative = new RegExp(source.replaceAll(String.raw`\/|$)`, String.raw`\/)`));
  const slashed = picomatch.makeRe(pattern, options).source;
  const rooted = pattern.startsWith("/") ? new RegExp(slashed.replaceAll(String.raw`\/|$)`, String.raw`\/)`)) : null;
  return (given) => {
    const matches = relative.test(given.slice(1));
    // Removing both slashes loses nothing else.
    if (rooted?.test(given) === true && !matches) expect([pattern, given, matches]).toEqual([pattern, given, true]);
    return matches;
  };
}

test("The linear-time glob engine matches as picomatch does, except that a globstar between two slashes does not match the folder itself", () => {
  let refused = 0;
  let matched = 0;
  fc.assert(
    fc.property(glob, fc.array(path, { minLength: 1, maxLength: 15 }), (pattern, given) => {
      let ours: ((path: string) => boolean) | null = null;
      try {
        ours = globMatcher(pattern);
      } catch {
        refused += 1;
        return;
      }
      const theirs = reference(pattern);
      for (const one of given) {
        const expected = theirs(one);
        if (expected) matched += 1;
        // `expect` is called only if the results differ, because one call takes as long as a hundred matches.
        if (ours(one) !== expected) expect([pattern, one, !expected]).toEqual([pattern, one, expected]);
      }
    }),
    { seed, numRuns: 15_000 },
  );
  console.info(`${matched} matches compared, ${refused} patterns refused`);
  expect(matched).toBeGreaterThan(1000);
  expect(refused).toBeLessThan(750);
});

test("A glob for which a backtracking engine takes exponential time is refused or answered, and a malformed one is refused", async () => {
  const { files } = stage(memoryFileRows());
  await files.write(`${"a".repeat(250)}/${"a".repeat(250)}`, "x", plain);
  const bombs = [
    "{a,b}".repeat(100),
    "{".repeat(512),
    "{a,".repeat(128),
    "{1..1000000}{1..1000000}",
    "*".repeat(512),
    "**/".repeat(170),
    "*a".repeat(255),
    `${"?(a)".repeat(120)}b`,
    `${"+(".repeat(100)}a${")".repeat(100)}`,
    "*(*(*(*(a|b)|c)|d)|e)z",
    "+(a|aa)".repeat(60),
    "(((((a*)*)*)*)*)b",
    "[".repeat(512),
    "(".repeat(256) + ")".repeat(256),
    "\\".repeat(512),
    "\u0000\n\ud800",
  ];
  for (const bomb of bombs) {
    const outcome = await files.find(bomb).then(
      ({ paths: matching }) => matching.length <= 1,
      (thrown: unknown) => (thrown as { code: string }).code === "invalid_request",
    );
    expect([bomb.slice(0, 20), outcome]).toEqual([bomb.slice(0, 20), true]);
  }
  for (const bad of ["", "x".repeat(513), "!(a)", "(?!a)*", "(?=a)", "\\1", null, undefined, 5, {}, ["*"]]) {
    const call = files.find(bad as string);
    expect(await codeOf(call)).toBe("invalid_request");
    await expect(call).rejects.toThrow(/^The glob /);
  }
});
