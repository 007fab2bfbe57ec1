// Changes just-bash so that a command that only computes can be ended. The interpreter of just-bash never waits between two commands, so
// a time limit or a stop cannot be noticed. With these changes it waits for a function of Threadhold, `coverage.turn`, before each command and
// each step of `awk`; `sed` and `jq` report the value that they work on. npm and `ensure-install` run this file.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { fromRoot } from "./paths.mjs";

/** Texts of the module for browsers, each of which occurs exactly once, and what is added after them. */
const changes = [
  // Commands of the shell, each of which takes about as long as 40 expressions of awk.
  {
    place: "this.ctx.coverage?.hit(`bash:cmd:${t.type}`)",
    added: ",this.ctx.coverage?.isDue(40)&&await this.ctx.coverage.turn()",
  },
  // Expressions and statements of awk.
  { place: "e.coverage?.hit(`awk:expr:${t.type}`)", added: ",e.coverage?.isDue(1)&&await e.coverage.turn()" },
  { place: "e.coverage?.hit(`awk:stmt:${t.type}`)", added: ",e.coverage?.isDue(1)&&await e.coverage.turn()" },
  // Commands of sed, with the text of the line.
  { place: "switch(t.coverage?.hit(`sed:cmd:${e.type}`", added: ",i" },
  // Expressions of jq, with their input.
  { place: "n.coverage?.hit(`jq:node:${t.type}`", added: ",e" },
];

/** Changes the installed just-bash. A second call changes nothing. */
export function patchShell(file = fromRoot("node_modules/just-bash/dist/bundle/browser.js")) {
  const before = readFileSync(file, "utf8");
  let text = before;
  for (const { place, added } of changes) {
    const at = text.indexOf(place) + place.length;
    if (text.split(place).length !== 2) {
      throw new Error(
        `just-bash has changed: ${place} does not occur exactly once. Update scripts/lib/patch-shell.mjs.`,
      );
    }
    if (!text.startsWith(added, at)) text = text.slice(0, at) + added + text.slice(at);
  }
  if (text === before) return;
  // A new file, because the old one can be a hard link into a cache of packages.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) patchShell();
