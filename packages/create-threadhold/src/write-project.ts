// Writes the files of a project: all of them or none. They are written to a temporary folder on the same disk and moved from there.

import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

import { CreateError } from "./context.ts";
import type { ProjectFiles } from "./project-files.ts";
import { shownPath } from "./shown-path.ts";

/** Throws if a project cannot be created in a folder: it has to be empty or missing. A Git repository without files counts as empty. */
export function assertUsable(folder: string): void {
  // A link would put the files into another folder than the named one. This also finds a link to nothing.
  if (isLink(folder))
    throw new CreateError(`${shownPath(folder)} is a link. Name the folder that it leads to, or another one.`);
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory())
    throw new CreateError(`${shownPath(folder)} is a file. Choose another name, or remove the file.`);
  if (readdirSync(folder).some((name) => name !== ".git"))
    throw new CreateError(`${shownPath(folder)} is not empty. Choose another name, or empty the folder.`);
}

/** Whether a path is a link. A path that the disk refuses is none: it gets its message when it is written. */
function isLink(folder: string): boolean {
  try {
    return lstatSync(folder).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Writes the files into a folder that `assertUsable` accepts. After a failure the disk is as before. */
export function writeProject(folder: string, files: ProjectFiles): void {
  const exists = existsSync(folder);
  const parent = path.dirname(folder);
  const temporary = path.join(exists ? folder : parent, `.create-${randomUUID()}`);
  const created = topmostMissing(parent);
  try {
    mkdirSync(parent, { recursive: true });
    try {
      writeFiles(temporary, files);
      if (exists) moveEntries(temporary, folder);
      else renameSync(temporary, folder);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  } catch (error) {
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new CreateError(
      `The project could not be written to ${shownPath(folder)}: ${shownPath(reason)}. Choose another folder, or make this one writable.`,
    );
  }
}

/** The topmost of the folders on the way to a folder that do not exist; undefined if the folder exists. */
function topmostMissing(folder: string): string | undefined {
  if (existsSync(folder)) return undefined;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : (topmostMissing(parent) ?? folder);
}

function writeFiles(folder: string, files: ProjectFiles): void {
  for (const [file, content] of files) {
    const target = path.join(folder, ...file.split("/"));
    mkdirSync(path.dirname(target), { recursive: true });
    // Only the user may read the file with the keys.
    writeFileSync(target, content, file === ".dev.vars" ? { mode: 0o600 } : {});
  }
}

/** Moves all entries of a folder. After a failure those that were moved are removed again. */
function moveEntries(from: string, to: string): void {
  const moved: string[] = [];
  try {
    for (const name of readdirSync(from)) {
      renameSync(path.join(from, name), path.join(to, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved) rmSync(path.join(to, name), { recursive: true, force: true });
    throw error;
  }
}
