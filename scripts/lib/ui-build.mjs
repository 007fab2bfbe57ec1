// Builds the playground into static assets if its sources have changed. The result is stored next to the installed packages under a hash
// of the sources, so that copies of the project share it. The served folder is filled from there, each file atomically.

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

import { importCli } from "./cli-bundle.mjs";
import { fromRoot, root } from "./paths.mjs";
import { sourcesHash } from "./sources-hash.mjs";

/** The folder that is served. */
export const uiFolder = fromRoot("dist/ui");
const recordFile = fromRoot("dist/ui.sources");
const keptFolder = fromRoot("node_modules/.cache/threadhold-ui");
const keptForMs = 24 * 60 * 60 * 1000;

/** The paths whose content decides the result of the build. */
const sources = [
  "playground",
  "src/client",
  "src/react",
  "src/contract",
  "src/lib",
  "scripts/lib/ui-build.mjs",
  "scripts/lib/ui-vite.mjs",
  "scripts/lib/pack/licenses.mjs",
  "package-lock.json",
];

/** A hash of the current sources. */
const hashNow = () => sourcesHash(root, sources);

/**
 * Fills the served folder. Wrangler starts a build for each changed file, so one process at a time builds.
 *
 * @param {{ waits?: boolean }} options whether to wait for a build of another process
 * @returns {Promise<boolean>} whether something was built
 */
export async function buildUi({ waits = true } = {}) {
  if (isServed()) return false;
  const { oneAtATime } = await importCli("one-at-a-time");
  let hasBuilt = false;
  const work = async () => {
    const hash = hashNow();
    const { folder, built } = await builtUi(hash);
    serve(folder, hash);
    hasBuilt ||= built;
  };
  await oneAtATime({ lock: `${recordFile}.lock`, isDone: isServed, work, waits });
  return hasBuilt;
}

/** Whether the build of the current sources is served. */
function isServed() {
  const served = existsSync(recordFile) ? readFileSync(recordFile, "utf8") : "";
  return served === hashNow() && existsSync(path.join(uiFolder, "index.html"));
}

/**
 * The folder with the build of the current sources. The served folder can also have files of an earlier build.
 *
 * @returns {Promise<{ folder: string, built: boolean }>} whether it was built now
 */
export async function builtUi(hash = hashNow()) {
  const folder = path.join(keptFolder, hash);
  const built = !existsSync(folder);
  if (built) await buildInto(folder);
  return { folder, built };
}

async function buildInto(folder) {
  // Imported here, because in a fresh clone this file is loaded before packages are installed.
  const [{ build }, { uiConfig }] = await Promise.all([import("vite"), import("./ui-vite.mjs")]);
  const temporary = `${folder}.${process.pid}`;
  rmSync(temporary, { recursive: true, force: true });
  // Vite would use the value of the current process, for example a test runner's, but the stored result is shared.
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = "production";
  try {
    await build(uiConfig({ outDir: temporary }));
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  for (const name of readdirSync(keptFolder)) {
    const other = path.join(keptFolder, name);
    // Another process can have renamed its folder.
    const { mtimeMs } = statSync(other, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (other !== temporary && Date.now() - mtimeMs > keptForMs) rmSync(other, { recursive: true, force: true });
  }
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another process has built the same in the meantime.
    if (!existsSync(folder)) throw error;
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Fills the served folder. The folder itself stays, since a running server watches it. Files are replaced atomically, and the document is
 * written last, when everything that it loads exists. Files of the build before stay for open pages. The change of the record file makes
 * a running server read the folder again (`watch_dir` in wrangler.toml).
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

/** Copies a file atomically, because it may be read at any time. */
function put(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  const temporary = path.join(path.dirname(recordFile), `.${path.basename(to)}.${process.pid}`);
  cpSync(from, temporary);
  renameSync(temporary, to);
}
