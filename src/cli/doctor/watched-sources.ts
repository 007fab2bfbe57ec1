// The Worker's own sources, and what wrangler has to watch to serve their changes. A `[build]` in the configuration replaces wrangler's own
// watching of the main module and its imports: then wrangler watches the paths of `watch_dir` alone.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { isAbsolute, join, posix, relative } from "node:path";

import type { Plugin } from "esbuild";

/** What the compiler and wrangler write, and the definitions, which are watched anyway. */
const skipped = /^(?:agents|\.[^./][^/]*)(?:\/|$)/;

/** Folders that a build or wrangler fills. A folder that contains one of them is not watched as a whole. */
const filled = ["node_modules", ".wrangler", ".git", ".threadhold"];

const code = /\.[cm]?[jt]sx?$/;

/**
 * Returns the paths to watch for some main modules and for what the definitions import from outside of `agents/`, from the project's
 * folder: the folder of each source, or the source itself if its folder also contains installed packages or wrangler's state.
 */
export async function sourcesToWatch(root: string, mains: readonly string[]): Promise<string[]> {
  const folder = existsSync(root) ? realpathSync(root) : root;
  const files = await importedFiles(folder, [...mains, ...definitionFiles(folder)]);
  const sources = files.map((file) => relative(folder, file).replaceAll("\\", "/"));
  const targets = new Set(
    // A file on another drive has no relative path.
    sources.filter((file) => !skipped.test(file) && !isAbsolute(file)).map((file) => targetOf(folder, file)),
  );
  return withoutNested([...targets]).toSorted();
}

/** The paths that are not inside of another path of the list. */
export function withoutNested(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && contains(other, path)));
}

/** Whether a watched path contains another path. Both are relative to the same folder. */
export function contains(watched: string, path: string): boolean {
  const between = posix.relative(posix.normalize(watched.replaceAll("\\", "/")), posix.normalize(path));
  return between === "" || !(between === ".." || between.startsWith("../"));
}

function targetOf(root: string, file: string): string {
  const folder = posix.dirname(file);
  const isAround = contains(folder, ".");
  return isAround || filled.some((name) => existsSync(join(root, folder, name))) ? file : folder;
}

function definitionFiles(root: string): string[] {
  if (!existsSync(join(root, "agents"))) return [];
  const entries = readdirSync(join(root, "agents"), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && code.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The entries and all files that they import, without installed packages. An import that leads nowhere is skipped. */
async function importedFiles(root: string, entries: readonly string[]): Promise<string[]> {
  const found = new Set(entries.map((entry) => join(root, relative(root, join(isAbsolute(entry) ? "" : root, entry)))));
  const existing = [...found].filter((file) => existsSync(file));
  // Imported here, so that other findings do not need the bundler.
  const { build } = await import("esbuild");
  const bundled = build({
    entryPoints: existing,
    absWorkingDir: root,
    // Nothing is written.
    outdir: join(root, ".cache"),
    write: false,
    bundle: true,
    format: "esm",
    logLevel: "silent",
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
    plugins: [sourceReader(found)],
  });
  // Sources with an error are sources too. The build of the Worker reports the error.
  await bundled.catch(() => undefined);
  return [...found];
}

function sourceReader(found: Set<string>): Plugin {
  const inner = { resolvedHere: true };
  return {
    name: "threadhold-own-sources",
    setup(bundler) {
      bundler.onResolve({ filter: /.*/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === inner || kind === "entry-point") return undefined;
        if (/^(?:threadhold(?:\/|$)|[\w-]+:)/.test(path)) return { path, external: true };
        const resolved = await bundler.resolve(path, { kind, importer, resolveDir, pluginData: inner });
        const isSource =
          resolved.errors.length === 0 &&
          !resolved.external &&
          resolved.namespace === "file" &&
          !/[\\/]node_modules[\\/]/.test(resolved.path);
        return isSource ? { path: resolved.path } : { path, external: true };
      });
      bundler.onLoad({ filter: /.*/ }, ({ path }) => {
        found.add(path);
        return code.test(path) ? undefined : { contents: "", loader: "empty" };
      });
    },
  };
}
