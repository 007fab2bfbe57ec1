// The skills in folders of this machine (phi-core, SkillSet). A link is followed only within its folder of skills.

import { open, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";

import { ThreadholdError } from "#contract/error.ts";

import { loadedFrontmatter, LoadedSkillSet, SkillLoadError } from "../skills/skill-set.ts";
import type { SkillEntry } from "../skills/skill-set.ts";
import { mainFile } from "../skills/skill.ts";
import { skillBounds, skillText } from "../skills/state-skills.ts";
import { HostFolder, nullIfAbsent } from "./host-folder.ts";

/**
 * Loads the skills of several folders: their subfolders with a `SKILL.md`. A folder that does not exist is skipped. A skill of a later folder
 * replaces one of an earlier folder with the same name. Rejects with a `SkillLoadError` for a skill that cannot be used.
 */
export async function loadSkills(dirs: readonly string[]): Promise<LoadedSkillSet> {
  const skills = new LoadedSkillSet();
  for (const [index, dir] of dirs.entries()) {
    if ((await inFolder(dir, nullIfAbsent(realpath(dir)))) !== null)
      skills.merge(await loadSkillDir(dir, `dir:${index}`));
  }
  return skills;
}

/** Loads the skills of one folder, which has to exist. `source` is the source of each of them. */
export async function loadSkillDir(dir: string, source: string): Promise<LoadedSkillSet> {
  const root = path.resolve(dir);
  const entries = await inFolder(root, readdir(root, { withFileTypes: true }));
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith(".") && name !== "node_modules")
    .toSorted();
  if (names.length > skillBounds.skills) {
    throw new SkillLoadError(
      "Io",
      `${root} has ${names.length} folders, and at most ${skillBounds.skills} are loaded.`,
    );
  }
  const folder = new HostFolder(root);
  const skills: SkillEntry[] = [];
  for (const name of names) {
    const skill = await skillAt(folder, { root, name, source });
    if (skill !== null) skills.push(skill);
  }
  return new LoadedSkillSet(skills);
}

/** The skill of a folder; null without a `SKILL.md`. */
async function skillAt(
  folder: HostFolder,
  { root, name, source }: { root: string; name: string; source: string },
): Promise<SkillEntry | null> {
  const base = path.join(root, name);
  const file = path.join(base, mainFile);
  const text = await inFolder(file, textAt(folder, `${name}/${mainFile}`, file));
  if (text === null) return null;
  const own = new HostFolder(base);
  return {
    ...loadedFrontmatter(text, name, file),
    file_path: file,
    base_dir: base,
    source,
    // A model reads these errors, and knows no path of this machine.
    paths: () => inFolder(name, pathsOf(base)),
    read: (each) => inFolder(each, textAt(own, each, each)),
  };
}

/** The paths of the files of a skill. Links are left out, because they may lead in a circle. */
async function pathsOf(base: string): Promise<string[]> {
  const paths: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(path.join(base, folder), { withFileTypes: true });
    for (const entry of entries) {
      const at = `${folder}${entry.name}`;
      if (entry.isFile()) paths.push(at);
      else if (entry.isDirectory() && folders.length < skillBounds.paths) folders.push(`${at}/`);
      if (paths.length >= skillBounds.paths) return paths.toSorted();
    }
  }
  return paths.toSorted();
}

/** The text of a file below a folder; null if there is none. At most the bytes of the bound are read, also if the file grows. */
async function textAt(folder: HostFolder, given: string, shown: string): Promise<string | null> {
  const real = await folder.existing(given);
  // Only a regular file is opened: to open a pipe would wait for its writer.
  if (real === null || !(await stat(real)).isFile()) return null;
  const handle = await open(real);
  try {
    const bytes = new Uint8Array(skillBounds.bytes + 1);
    let length = 0;
    while (length < bytes.byteLength) {
      const { bytesRead } = await handle.read(bytes, length, bytes.byteLength - length);
      if (bytesRead === 0) return skillText(bytes.subarray(0, length), shown);
      length += bytesRead;
    }
    throw new SkillLoadError("Io", `${shown} has more than ${skillBounds.bytes} bytes.`);
  } finally {
    await handle.close();
  }
}

/** The result of an operation. A refusal, or an error of the system, becomes a `SkillLoadError` that names the path. */
async function inFolder<T>(at: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof SkillLoadError) throw thrown;
    const { code } = thrown as { code?: unknown };
    const reason = thrown instanceof ThreadholdError ? thrown.message : `the system reports ${String(code)}.`;
    throw new SkillLoadError("Io", `${at} cannot be read: ${reason}`);
  }
}
