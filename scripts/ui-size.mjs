// Builds the playground and checks how much JavaScript its first load takes: the entry with all its static imports. Chunks that are loaded
// later are printed next to it.

import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

import { buildUi, uiFolder } from "./lib/ui-build.mjs";

/** Bytes after gzip. */
const limit = 250 * 1024;

await buildUi();
/** @type {Record<string, { file: string, isEntry?: boolean, imports?: string[], src?: string, name?: string }>} */
const manifest = JSON.parse(readFileSync(path.join(uiFolder, "manifest.json"), "utf8"));
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
const gzipOf = (file) => gzipSync(readFileSync(path.join(uiFolder, file)), { level: 9 }).length;

const first = new Set();
const visit = (key) => {
  if (first.has(key)) return;
  first.add(key);
  for (const next of manifest[key]?.imports ?? []) visit(next);
};
for (const [key, { isEntry }] of Object.entries(manifest)) if (isEntry === true) visit(key);

let total = 0;
for (const [key, { file, name }] of Object.entries(manifest)) {
  if (!file.endsWith(".js")) continue;
  const size = gzipOf(file);
  if (first.has(key)) total += size;
  console.log(`${first.has(key) ? "first" : "later"}  ${kib(size).padStart(10)}  ${name ?? key}`);
}
console.log(`playground, first load: ${kib(total)} gzip of ${kib(limit)}`);
if (first.size === 0 || total === 0) console.error("The build names no entry.");
// Only React's development build has these warnings.
const developing = [...first].some((key) => {
  const { file = "" } = manifest[key] ?? {};
  return file.endsWith(".js") && readFileSync(path.join(uiFolder, file), "utf8").includes("captureOwnerStack");
});
if (developing) console.error("This is a development build.");
process.exit(developing || total > limit || total === 0 ? 1 : 0);
