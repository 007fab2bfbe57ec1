// The bundle that a server of a project was started with. Wrangler takes a processor second to build it, so a later server of a project
// with the same sources serves the stored bundle. Bundles are stored next to the installed packages, which copies of the project share,
// under a hash of the sources.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

import { sourcesHash } from "../../../scripts/lib/sources-hash.mjs";

/**
 * The paths whose content decides the result of the build. The lockfile names the version of each package, and the files in `.threadhold` are
 * made from these.
 */
const sources = ["src", "agents", "migrations", "wrangler.toml", "tsconfig.json", "package-lock.json"];
const entry = "index.js";
const folder = ".stored-bundle";
const keptForMs = 24 * 60 * 60 * 1000;

/** Tables of the configuration that only a build of the bundle needs. For the stored bundle, wrangler's default rules are enough. */
const bundleTables = ["[alias]", "[[rules]]"];
/**
 * A small main module that only imports the bundle. Wrangler parses the main module at each start, which takes 0.5 s of processor time for
 * a bundle.
 */
const main = "main.js";
const mainText = `export * from "./${entry}";\nexport { default } from "./${entry}";\n`;
/** Wrangler runs the build command twice at each start. The bundle is stored, so the command does nothing; `dev` requires these words. */
const noCommand = 'command = "echo build --auto"';

/** Options of the dev command that serve the stored bundle of a project. Empty if the project's sources have none. */
export function bundleOptions(root: string): string[] {
  // A project whose definitions were never compiled has no complete sources.
  if (!existsSync(path.join(root, ".threadhold"))) return [];
  const stored = storedFolder(root);
  if (!existsSync(stored)) return [];
  // Files that another server of this project serves are not written again: that server would reload.
  const name = path.basename(stored);
  const configuration = path.join(root, `wrangler.${name}.toml`);
  if (!existsSync(configuration)) {
    cpSync(stored, path.join(root, folder, name), { recursive: true });
    writeFileSync(path.join(root, folder, name, main), mainText);
    const whole = readFileSync(path.join(root, "wrangler.toml"), "utf8");
    writeFileSync(configuration, withoutBundling(whole, `${folder}/${name}/${main}`));
  }
  return ["--config", configuration];
}

/** The modules of the stored bundle, the main module first, as options of miniflare. */
export function bundleModules(root: string): {
  modulesRoot: string;
  modules: { type: "ESModule" | "Text"; path: string }[];
} {
  const modulesRoot = path.join(root, folder, path.basename(storedFolder(root)));
  const names = readdirSync(modulesRoot).filter((name) => /\.(?:js|sql)$/.test(name));
  const modules = names
    .toSorted((one, other) => Number(other === main) - Number(one === main))
    .map((name) => ({
      type: name.endsWith(".js") ? ("ESModule" as const) : ("Text" as const),
      path: path.join(modulesRoot, name),
    }));
  return { modulesRoot, modules };
}

/** Stores the bundle that a running server of the project was built with. */
export function storeBundle(root: string): void {
  const stored = storedFolder(root);
  const parent = path.dirname(stored);
  mkdirSync(parent, { recursive: true });
  const making = mkdtempSync(path.join(parent, "making-"));
  for (const name of readdirSync(builtFolder(root))) {
    if (!name.endsWith(".map")) cpSync(path.join(builtFolder(root), name), path.join(making, name));
  }
  for (const name of readdirSync(parent)) {
    const older = path.join(parent, name);
    const { mtimeMs } = statSync(older, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > keptForMs) rmSync(older, { recursive: true, force: true });
  }
  try {
    renameSync(making, stored);
  } catch (error) {
    // Another test process has stored the same in the meantime.
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(stored)) throw error;
  }
}

/** The folder into which wrangler built most recently. Servers that were killed leave theirs. */
function builtFolder(root: string): string {
  const parent = path.join(root, ".wrangler/tmp");
  const built = readdirSync(parent)
    .map((name) => path.join(parent, name))
    .filter((each) => existsSync(path.join(each, entry)))
    .map((each) => ({ each, at: statSync(path.join(each, entry)).mtimeMs }))
    .toSorted((one, other) => other.at - one.at);
  if (built[0] === undefined) throw new Error(`Wrangler has built nothing in ${parent}`);
  return built[0].each;
}

function storedFolder(root: string): string {
  return path.join(root, "node_modules/.cache/threadhold-bundles", sourcesHash(root, sources));
}

/** Returns the configuration with the main module `file`, which wrangler serves without bundling. */
function withoutBundling(toml: string, file: string): string {
  if (!/^main = /m.test(toml)) throw new Error("wrangler.toml names no main module");
  let table = "";
  const lines = toml.split("\n").filter((line) => {
    if (line.startsWith("[")) table = line.trim();
    return !bundleTables.includes(table);
  });
  const served = [
    `main = "${file}"`,
    "no_bundle = true",
    "find_additional_modules = true",
    `rules = [{ type = "ESModule", globs = ["**/${entry}"] }]`,
  ];
  return lines
    .join("\n")
    .replace(/^command = .*$/m, noCommand)
    .replace(/^main = .*$/m, served.join("\n"));
}
