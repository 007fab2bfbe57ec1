// Builds the playground into static assets, when its sources are not those of the last build. What was built is kept under a
// name made from the sources, beside the installed packages, so that copies of a project share it; the folder that is served is
// filled from there and changes at once or not at all.

import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

import { fromRoot, root } from "./paths.mjs";

/** What is served. */
export const uiFolder = fromRoot("dist/ui");
const recordFile = fromRoot("dist/ui.sources");
const keptFolder = fromRoot("node_modules/.cache/threadhold-ui");
const keptForMs = 24 * 60 * 60 * 1000;

/** Everything that decides what is built. */
const sources = [
  "playground",
  "src/client",
  "src/react",
  "src/contract",
  "src/lib",
  "scripts/lib/ui-build.mjs",
  "scripts/lib/ui-vite.mjs",
  "package-lock.json",
];

function* filesBelow(file) {
  if (!statSync(file).isDirectory()) return void (yield file);
  const entries = readdirSync(file, { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isFile()) yield path.join(entry.parentPath, entry.name);
}

/** A name for the sources as they are now. */
function sourcesHash() {
  const hash = createHash("sha256");
  const files = sources.flatMap((source) => [...filesBelow(fromRoot(source))]);
  for (const file of files.toSorted((one, other) => (one < other ? -1 : 1)))
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  return hash.digest("hex").slice(0, 32);
}

/** @returns {Promise<boolean>} whether something was built */
export async function buildUi() {
  const hash = sourcesHash();
  const served = existsSync(recordFile) ? readFileSync(recordFile, "utf8") : "";
  if (served === hash && existsSync(path.join(uiFolder, "index.html"))) return false;
  const kept = path.join(keptFolder, hash);
  const built = !existsSync(kept);
  if (built) await buildInto(kept);
  serve(kept, hash);
  return built;
}

async function buildInto(folder) {
  // Only here: whoever starts in a fresh clone loads this file before any package is installed.
  const [{ build }, { uiConfig }] = await Promise.all([import("vite"), import("./ui-vite.mjs")]);
  const temporary = `${folder}.${process.pid}`;
  rmSync(temporary, { recursive: true, force: true });
  // Vite would take it from whoever builds, as a test runner that starts a server, and what is kept is for everybody.
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = "production";
  try {
    await build(uiConfig({ outDir: temporary }));
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  for (const name of readdirSync(keptFolder)) {
    const old = path.join(keptFolder, name);
    if (old !== temporary && Date.now() - statSync(old).mtimeMs > keptForMs)
      rmSync(old, { recursive: true, force: true });
  }
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Somebody else built the same meanwhile.
    if (!existsSync(folder)) throw error;
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * The folder itself stays, since a running server watches it. Files appear whole, the document last, when all that it loads is
 * there; what the build before loads stays as well, for pages that are open. The record is what a running server waits for, to
 * look at the folder again (`watch_dir` in wrangler.toml).
 */
function serve(kept, hash) {
  const before = existsSync(recordFile) ? path.join(keptFolder, readFileSync(recordFile, "utf8")) : kept;
  const wanted = new Set([...assetsOf(kept), ...assetsOf(before)]);
  const files = readdirSync(kept, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(kept, path.join(entry.parentPath, entry.name)))
    .toSorted((one, other) => Number(one === "index.html") - Number(other === "index.html"));
  for (const file of files) put(path.join(kept, file), path.join(uiFolder, file));
  for (const name of assetsOf(uiFolder)) {
    if (!wanted.has(name)) rmSync(path.join(uiFolder, "assets", name), { force: true });
  }
  writeFileSync(recordFile, hash);
}

function assetsOf(folder) {
  const assets = path.join(folder, "assets");
  return existsSync(assets) ? readdirSync(assets) : [];
}

/** Whole or not at all, for whoever reads it meanwhile. */
function put(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  const temporary = path.join(path.dirname(recordFile), `.${path.basename(to)}.${process.pid}`);
  cpSync(from, temporary);
  renameSync(temporary, to);
}
