// Runs the soak suites, which take minutes: `npm run soak` all of them, `npm run soak -- kills` one. Their folders are removed and their
// servers ended in every case.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { ensureInstall } from "./ensure-install.mjs";
import { compileAgents } from "./lib/compile-agents.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runVitest } from "./lib/vitest-run.mjs";

const ending = ".test.ts";
const suites = readdirSync(fromRoot("test/soak"))
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length));
const wanted = process.argv.slice(2);
const strange = wanted.filter((name) => !suites.includes(name));
if (strange.length > 0) {
  console.error(`There is no soak suite named ${strange.join(" or ")}. There are: ${suites.join(", ")}.`);
  process.exit(1);
}
await ensureInstall();
if ((await compileAgents()) !== 0) process.exit(1);

const folder = mkdtempSync(path.join(tmpdir(), "threadhold-soak-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const files = (wanted.length === 0 ? suites : wanted).map((name) => `test/soak/${name}${ending}`);
const code = await runVitest([{ args: ["--config", fromRoot("test/soak/vitest.config.ts"), ...files] }], {
  deadlineMinutes: 30,
  report: ".cache/soak",
  env: { TMPDIR: folder, TEMP: folder },
});
process.exit(code);
