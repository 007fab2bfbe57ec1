// The check of words in new text, and of commit titles.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, expect, it } from "vitest";

import { titleProblem } from "../../scripts/lib/commit-title.mjs";
import { sharedNames } from "../../scripts/lib/file-names.mjs";
import { avoidedWords } from "../../scripts/lib/plain-words.mjs";
import { filesOver, lowered } from "../../scripts/lib/word-ratchet.mjs";

const flaggedWords = (file: string, text: string) =>
  avoidedWords({ path: file, text }).map(({ line, word }) => `${line} ${word}`);

it("The check of avoided words finds them in comments, Markdown, stylesheets and titles of tests", () => {
  expect(flaggedWords("a.ts", "// nobody\nconst told = 1; /* two\n anew */")).toEqual(["1 nobody", "3 anew"]);
  expect(flaggedWords("a.md", "Plain.\n\nWhoever reads it is Told.\n")).toEqual(["3 Whoever", "3 Told"]);
  expect(flaggedWords("a.css", ".told {}\n/* beside */")).toEqual(["2 beside"]);
  const titles = ["it('HTTP1 tells', f)", "it.each(['heard'])(`a wish %s`, f)", 'test.skip("\\"rests\\"", f)'];
  expect(flaggedWords("a.test.ts", titles.join(";\n"))).toEqual(["1 tells", "2 wish", "3 rests"]);
});

it("The check of avoided words ignores code: names, strings, code in back-ticks and fenced blocks", () => {
  expect(flaggedWords("a.ts", 'const told = "nobody"; // calls `tellSoon` and `told`')).toEqual([]);
  expect(flaggedWords("a.md", "`told` is\n```sh\nwhoever\n```\nfine.")).toEqual([]);
  expect(flaggedWords("a.ts", "it('is told', f);")).toEqual([]);
});

it("The check of avoided words accepts some phrases in which they have a plain meaning", () => {
  const plain = [
    "Clients cannot tell the two.",
    "An id that tells two calls apart.",
    "It leaves nothing behind.",
    "A file that was left behind.",
    "The server runs behind a proxy.",
    "The rest of the line is the wisher's own word.",
  ];
  for (const sentence of plain) expect([sentence, flaggedWords("a.md", sentence)]).toEqual([sentence, []]);
});

it("Two files of src with the same name are refused, also in different folders", () => {
  expect(sharedNames(["src/core/log.ts", "src/lib/log.ts", "test/log.ts"])).toEqual([
    "src/core/log.ts, src/lib/log.ts: files of one name; rename all but one",
  ]);
  expect(sharedNames(["src/dialect/a/routes.ts", "src/http/routes.ts"])).toHaveLength(1);
});

it("Index files, and files of parallel folders in src, may have the same name", () => {
  expect(sharedNames(["src/client/index.ts", "src/react/index.ts"])).toEqual([]);
  expect(sharedNames(["src/dialect/a/routes.ts", "src/dialect/b/routes.ts"])).toEqual([]);
});

it("An existing file may have as many avoided words as its allowed number, and a new file none", () => {
  const exists = () => true;
  expect(filesOver({ "a.ts": 2 }, { "a.ts": 2 }, exists)).toEqual([]);
  expect(filesOver({ "a.ts": 3, "b.ts": 1 }, { "a.ts": 2 }, exists)).toEqual([
    { path: "a.ts", over: 1 },
    { path: "b.ts", over: 1 },
  ]);
});

it("A new file may have the avoided words that an existing file is allowed and no longer has", () => {
  expect(filesOver({ "a.ts": 1, "part.ts": 2 }, { "a.ts": 3 }, () => true)).toEqual([]);
  expect(filesOver({ "a.ts": 1, "part.ts": 3 }, { "a.ts": 3 }, () => true)).toEqual([{ path: "part.ts", over: 1 }]);
});

it("A moved file may have as many avoided words as the deleted file was allowed", () => {
  const exists = (file: string) => file !== "old.ts";
  expect(filesOver({ "new.ts": 3 }, { "old.ts": 3 }, exists)).toEqual([]);
  expect(filesOver({ "new.ts": 3, "other.ts": 1 }, { "old.ts": 3 }, exists)).toEqual([{ path: "other.ts", over: 1 }]);
});

it("The allowed number of avoided words is lowered to the current counts, and never raised", () => {
  expect(lowered({ "b.ts": 1, "a.ts": 1 }, { "a.ts": 3 })).toEqual({ "a.ts": 1, "b.ts": 1 });
  expect(lowered({ "a.ts": 4 }, { "a.ts": 3 })).toBeNull();
});

it("Commit titles have the form area: imperative, up to 72 characters", () => {
  for (const title of [
    "feed: back off reconnects",
    "ui, http: show the API at /docs",
    "src/http: x",
    `a: ${"é".repeat(69)}`,
  ])
    expect([title, titleProblem(title)]).toEqual([title, undefined]);
  for (const title of ["Show the page", "Feed: show", "feed:show", "feed: ", `a: ${"x".repeat(70)}`, "feed: show it."])
    expect([title, titleProblem(title)]).toEqual([title, expect.any(String)]);
});

const script = fileURLToPath(new URL("../../scripts/words.mjs", import.meta.url));
const trees: string[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true });
});

/** A tree in a repository of its own, with one commit. */
function treeOf(files: Record<string, string>) {
  const tree = mkdtempSync(path.join(tmpdir(), "threadhold-words-"));
  trees.push(tree);
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: tree, stdio: "pipe" });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "all: begin");
  const check = (...options: string[]) => {
    try {
      return { code: 0, output: execFileSync(process.execPath, [script, tree, ...options], { encoding: "utf8" }) };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return { code: status, output: stdout };
    }
  };
  return { check, write, git, read: (file: string) => readFileSync(path.join(tree, file), "utf8") };
}

it("The check of avoided words fails with file, line and replacement if a file gains a word", () => {
  const { check, write } = treeOf({ "src/a.ts": "// told\n", "scripts/words-allowed.json": '{"src/a.ts":1}' });
  expect(check().code).toBe(0);
  write("src/a.ts", "// told\n// nobody\n");
  const { code, output } = check();
  expect(code).toBe(1);
  expect(output).toContain("src/a.ts:2  nobody: no one");
});

it("The file of allowances is lowered on demand, and the check fails if it is raised", () => {
  const { check, write, read } = treeOf({ "src/a.ts": "// told\n", "scripts/words-allowed.json": '{"src/a.ts":1}' });
  write("scripts/words-allowed.json", '{"src/a.ts":2}');
  expect(check()).toMatchObject({ code: 1, output: expect.stringContaining("may only fall") as string });
  write("src/a.ts", "// sent\n");
  expect(check("--lower").code).toBe(0);
  expect(read("scripts/words-allowed.json")).toBe("{}\n");
});

it("The check fails if a commit's title does not have the form area: imperative", () => {
  const { check, git } = treeOf({ "src/a.ts": "// plain\n" });
  git("commit", "-qm", "all: change", "--allow-empty");
  expect(check("--since=HEAD~1").code).toBe(0);
  git("commit", "-qm", "Change it all", "--allow-empty");
  expect(check("--since=HEAD~1")).toMatchObject({
    code: 1,
    output: expect.stringContaining("Change it all") as string,
  });
  expect(check("--since=0000000").output).toContain("commit titles are not checked");
});

it("The check of avoided words ignores fixtures of tests and generated pages", () => {
  const { check } = treeOf({
    "test/x/fixtures/a.ts": "// told\n",
    "docs/reference/api/a.md": "told\n",
    "node_modules/a/b.md": "told\n",
  });
  expect(check().code).toBe(0);
});
