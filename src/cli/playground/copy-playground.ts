// Copies the built playground into the folder of a project's static assets, because a Worker has one such folder. The copy has a folder of
// its own there, which git ignores and whose name does not depend on the path that the Worker serves the pages at. No file of the project is
// overwritten or deleted: a record names the files that an earlier copy wrote.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { readIfExists } from "#compiler/changed-file.ts";
import { isObject } from "#compiler/definition-kind.ts";
import { readConfiguration } from "#compiler/wrangler-settings.ts";

import { CommandError } from "../context.ts";

/** The folder in the static assets. The Worker reads the same name (src/http/page/serve-page.ts). */
const folderName = "_threadhold";

/** The files of the copy that are no files of the playground. */
const recordName = "files.json";
const temporaryName = ".next";

/** The project whose assets get a copy. */
interface CopyRequest {
  root: string;
  packageRoot: string;
  /** A folder of assets that another wrangler file than the project's own names. */
  assets?: string | undefined;
}

/** Whether a folder of assets is the playground itself: that of the package, or another copy of it. */
export function isPlayground(folder: string, packageRoot: string): boolean {
  const own = builtPlayground(packageRoot);
  if (resolve(folder) === resolve(own)) return true;
  if (existsSync(folder) && existsSync(own) && realpathSync(folder) === realpathSync(own)) return true;
  return readIfExists(join(folder, "index.html"))?.includes('<meta name="threadhold"') === true;
}

const builtPlayground = (packageRoot: string): string => join(packageRoot, "dist/ui");

/**
 * Copies the playground of the package, or brings a copy up to date. Removes the copy if the variable PLAYGROUND is `false` in the wrangler
 * file. Returns the folders that were changed, from the root. Throws a `CommandError` for a file that an earlier copy did not write.
 */
export function copyPlayground({ root, packageRoot, assets }: CopyRequest): string[] {
  const wanted = assetFolders(root);
  if (assets !== undefined && !wanted.has(assets)) wanted.set(assets, true);
  const source = builtPlayground(packageRoot);
  // In a clone of the repository it may not be built.
  if (!existsSync(join(source, "index.html"))) return [];
  return [...wanted].flatMap(([folder, isWanted]) => {
    // Wrangler reports a folder that is missing.
    if (!existsSync(folder) || isPlayground(folder, packageRoot)) return [];
    const copy = join(folder, folderName);
    return updateCopy(copy, isWanted ? filesOf(source) : new Map()) ? [relative(root, copy)] : [];
  });
}

/** The folders of assets in the project's wrangler file, and whether each gets a copy. */
function assetFolders(root: string): Map<string, boolean> {
  const config = readConfiguration(root);
  const named = isObject(config["env"]) ? Object.values(config["env"]).filter(isObject) : [];
  const folders = new Map<string, boolean>();
  for (const scope of [config, ...named]) {
    // An environment inherits the assets, and it does not inherit variables.
    const assets = scope["assets"] ?? config["assets"];
    const directory = isObject(assets) ? assets["directory"] : undefined;
    if (typeof directory !== "string" || directory === "") continue;
    const folder = resolve(root, directory);
    const isOff = isObject(scope["vars"]) && String(scope["vars"]["PLAYGROUND"]) === "false";
    folders.set(folder, (folders.get(folder) ?? false) || !isOff);
  }
  return folders;
}

/** The content or the source of each file of the copy, by its name. The document comes last, when all that it loads exists. */
type CopiedFiles = ReadonlyMap<string, { text: string } | { file: string }>;

function filesOf(source: string): CopiedFiles {
  const assets = readdirSync(join(source, "assets")).map(
    (name) => [`assets/${name}`, { file: join(source, "assets", name) }] as const,
  );
  const license = join(source, "THIRD-PARTY-LICENSES.txt");
  return new Map([
    [".gitignore", { text: "# Copied from the package threadhold by `threadhold build`.\n*\n" }],
    ...assets,
    ...(existsSync(license) ? [["THIRD-PARTY-LICENSES.txt", { file: license }] as const] : []),
    // As plain text the document is inert when somebody opens it as an asset, without the policy that the Worker sends with a page.
    ["page.txt", { file: join(source, "index.html") }],
  ]);
}

/** Makes a folder contain these files in place of those that an earlier copy wrote. Returns whether anything changed. */
function updateCopy(folder: string, files: CopiedFiles): boolean {
  assertFolder(folder);
  assertFolder(join(folder, "assets"));
  const before = readRecord(folder);
  const foreign = [...files].find(([name, content]) => !before.includes(name) && isOther(join(folder, name), content));
  if (foreign !== undefined) throw foreignFile(join(folder, foreign[0]));
  const changed = [...files].filter(
    ([name, content]) => isMissing(join(folder, name)) || isOther(join(folder, name), content),
  );
  const stale = before.filter((name) => !files.has(name));
  const isRecorded = files.size === before.length && before.every((name) => files.has(name));
  if (changed.length === 0 && stale.length === 0 && isRecorded) return false;
  // If this process is killed, the next copy knows every file that this one may have written.
  if (files.size > 0) writeRecord(folder, [...new Set([...before, ...files.keys()])]);
  for (const [name, content] of changed)
    put(folder, name, "text" in content ? content.text : readFileSync(content.file));
  for (const name of stale) rmSync(join(folder, name), { force: true });
  if (files.size > 0) writeRecord(folder, [...files.keys()]);
  else removeRecord(folder);
  return true;
}

/** The names of the files that an earlier copy wrote. A name that leads out of the folder is ignored. */
function readRecord(folder: string): string[] {
  const text = readIfExists(join(folder, recordName))?.toString("utf8");
  if (text === undefined) return [];
  try {
    const names: unknown = JSON.parse(text);
    if (!Array.isArray(names)) return [];
    return names.filter(
      (name): name is string => typeof name === "string" && /^(?:assets\/)?(?!\.{1,2}$)[\w.-]+$/.test(name),
    );
  } catch {
    // Without a readable record the files are checked like files of the project.
    return [];
  }
}

function writeRecord(folder: string, names: readonly string[]): void {
  put(folder, recordName, `${JSON.stringify(names.toSorted(), null, 2)}\n`);
}

function removeRecord(folder: string): void {
  rmSync(join(folder, recordName), { force: true });
  for (const each of [join(folder, "assets"), folder]) {
    if (existsSync(each) && readdirSync(each).length === 0) rmSync(each, { recursive: true });
  }
}

/** Writes a file atomically, because a server may read it at any time. */
function put(folder: string, name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  const temporary = join(folder, temporaryName);
  writeFileSync(temporary, content);
  renameSync(temporary, join(folder, name));
}

const isMissing = (path: string): boolean => !existsSync(path);

/** Whether a file exists and has another content. */
function isOther(path: string, content: { text: string } | { file: string }): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (!stat.isFile()) return true;
  if ("file" in content && stat.size !== statSync(content.file).size) return true;
  const wanted = "text" in content ? Buffer.from(content.text) : readFileSync(content.file);
  return !readFileSync(path).equals(wanted);
}

/** Throws unless a path is free or a folder. A link could lead to files of the project. */
function assertFolder(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) throw foreignFile(path);
}

function foreignFile(path: string): CommandError {
  return new CommandError(
    `${path} is not a file of the playground, which is copied to this place, so it was not overwritten. Move it, or set PLAYGROUND = "false" in [vars] of the wrangler file for no playground.`,
  );
}
