// Writes the files of a project: all of them or none. They are written to a temporary folder on the same disk and moved from there.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

import { CreateError } from "./context.ts";
import type { ProjectFiles } from "./project-files.ts";

/** Throws if a project cannot be created in a folder: it has to be empty or missing. A Git repository without files counts as empty. */
export function assertUsable(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory())
    throw new CreateError(`${folder} is a file. Choose another name, or remove the file.`);
  if (readdirSync(folder).some((name) => name !== ".git"))
    throw new CreateError(`${folder} is not empty. Choose another name, or empty the folder.`);
}

/** Writes the files into a folder that `assertUsable` accepts. After a failure the disk is as before. */
export function writeProject(folder: string, files: ProjectFiles): void {
  const exists = existsSync(folder);
  const parent = path.dirname(folder);
  const temporary = path.join(exists ? folder : parent, `.create-${randomUUID()}`);
  /** The topmost parent folder that was created; undefined if the parent folder existed. */
  let created: string | undefined;
  try {
    created = mkdirSync(parent, { recursive: true });
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
    throw new CreateError(`The project could not be written to ${folder}: ${reason}`);
  }
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
