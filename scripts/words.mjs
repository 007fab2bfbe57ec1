// Flags words that plain text avoids (AGENTS.md, "How to write") in comments, Markdown and titles of tests, commit titles that are
// not `area: imperative`, and files of src/ that share a name. Older text has its allowance in words-allowed.json, which may only fall: `--lower` writes
// today's counts, `--list` shows every word. `node scripts/words.mjs <folder>` checks another tree, as its tests do.

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { titleProblem } from "./lib/commit-title.mjs";
import { sharedNames } from "./lib/file-names.mjs";
import { root } from "./lib/paths.mjs";
import { avoidedWords } from "./lib/plain-words.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { filesOver, lowered, total } from "./lib/word-ratchet.mjs";

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const tree = path.resolve(process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? root);
const allowedFile = "scripts/words-allowed.json";

/** Titles of commits after this one are checked; `--since=<commit>` names another. */
const since =
  options.find((option) => option.startsWith("--since="))?.slice("--since=".length) ??
  "1216ea2446286e829e029a6576b0e1f5aae9284c";

const read = (file) => readFileSync(path.join(tree, file), "utf8");

/** Generated pages and fixtures. */
const skipped = /^(docs\/reference\/api|dist|artifacts|migrations)\/|(^|\/)(node_modules|fixtures|\.(?!github)[^/]*)\//;

function files() {
  return readdirSync(tree, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [entry.name];
    if (!entry.isDirectory() || skipped.test(`${entry.name}/`)) return [];
    const below = readdirSync(path.join(tree, entry.name), { recursive: true, encoding: "utf8" });
    return below.map((name) => path.posix.join(entry.name, name.split(path.sep).join("/")));
  });
}

const hits = new Map();
for (const file of files()) {
  if (!/\.(md|css|mjs|tsx?)$/.test(file) || skipped.test(file)) continue;
  const found = avoidedWords({ path: file, text: read(file) });
  if (found.length > 0) hits.set(file, found);
}
const counts = Object.fromEntries([...hits].map(([file, found]) => [file, found.length]));
const show = (file) => {
  for (const { line, word, instead } of hits.get(file) ?? []) console.log(`${file}:${line}  ${word}: ${instead}`);
};

if (options.includes("--list")) for (const file of hits.keys()) show(file);

const allowed = existsSync(path.join(tree, allowedFile)) ? JSON.parse(read(allowedFile)) : {};
if (options.includes("--lower")) {
  const next = lowered(counts, allowed);
  if (next === null) console.log(`${total(counts)} words are more than the ${total(allowed)} that are allowed`);
  else writeFileSync(path.join(tree, allowedFile), `${JSON.stringify(next, null, 2)}\n`);
  process.exit(next === null ? 1 : 0);
}

const over = filesOver(counts, allowed, (file) => existsSync(path.join(tree, file)));
for (const { path: file, over: more } of over) {
  console.log(`${file} has ${more} more of these words than it may have:`);
  show(file);
}

const git = async (...args) => {
  const { code, output } = await runCommand("git", args, { quiet: true, cwd: tree });
  return code === 0 ? output : undefined;
};

let raised = 0;
for (const commit of ["HEAD", "HEAD~1"]) {
  const before = await git("show", `${commit}:${allowedFile}`);
  if (before !== undefined) raised = Math.max(raised, total(allowed) - total(JSON.parse(before)));
}
if (raised > 0) console.log(`${allowedFile} allows ${raised} words more than before; it may only fall`);

const log = await git("log", "--no-merges", "--format=%h %s", `${since}..HEAD`);
const titles = (log ?? "").split("\n").filter((line) => line !== "");
const badTitles = titles.flatMap((line) => {
  const title = line.slice(line.indexOf(" ") + 1);
  const problem = titleProblem(title);
  return problem === undefined ? [] : [`commit ${line}\n  ${problem}`];
});
for (const problem of badTitles) console.log(problem);

const badNames = sharedNames(files());
for (const problem of badNames) console.log(problem);

const checked =
  log === undefined
    ? "commit titles are not checked, since this clone lacks their history"
    : `${titles.length} commit titles`;
const problems = over.length + badTitles.length + badNames.length + (raised > 0 ? 1 : 0);
console.log(`${total(counts)} avoided words in ${hits.size} files, ${checked}, ${problems} problems`);
process.exit(problems === 0 ? 0 : 1);
