// The skills in the files of a thread, for a program that runs in one of the thread's tools.

import type { ExtendedThreadState, ThreadState } from "#spec/index.ts";

import { loadedFrontmatter, LoadedSkillSet, SkillLoadError } from "./skill-set.ts";
import type { SkillEntry } from "./skill-set.ts";
import { mainFile } from "./skill.ts";

/** The maximum number of skills of a folder, of listed files of a skill, and of bytes of a file. */
export const skillBounds = { skills: 200, paths: 200, bytes: 256 * 1024 } as const;

/**
 * Loads the skills of a folder of the thread's files: its folders with a `SKILL.md`. Without the folder, the set is empty. Rejects with a
 * `SkillLoadError` for a skill that cannot be used.
 */
export async function loadThreadSkills(given: ThreadState, folder = "/skills"): Promise<LoadedSkillSet> {
  const state = given as ExtendedThreadState;
  const root = folder.replace(/(?<!\/)\/+$/, "");
  if ((await state.statFile(root))?.isDirectory !== true) return new LoadedSkillSet();
  const { entries } = await state.readdirFile(root);
  const names = entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
  if (names.length > skillBounds.skills) {
    throw new SkillLoadError(
      "Io",
      `${root} has ${names.length} folders, and at most ${skillBounds.skills} are loaded.`,
    );
  }
  const skills: SkillEntry[] = [];
  for (const name of names) {
    const skill = await skillAt(state, root, name);
    if (skill !== null) skills.push(skill);
  }
  return new LoadedSkillSet(skills);
}

async function skillAt(state: ExtendedThreadState, root: string, folder: string): Promise<SkillEntry | null> {
  const base = `${root}/${folder}`;
  const path = `${base}/${mainFile}`;
  const text = await textAt(state, path);
  if (text === null) return null;
  return {
    ...loadedFrontmatter(text, folder, path),
    file_path: path,
    base_dir: base,
    source: "thread",
    paths: async () => {
      const { paths } = await state.listFiles("**", { path: base, limit: skillBounds.paths });
      return paths.map((each) => each.slice(each.indexOf(`${base}/`) + base.length + 1)).toSorted();
    },
    read: (file) => textAt(state, `${base}/${file}`),
  };
}

/** The text of a file; null if there is none. */
async function textAt(state: ThreadState, path: string): Promise<string | null> {
  const record = await state.statFile(path);
  if (record === null || record.isDirectory) return null;
  if (record.size > skillBounds.bytes) {
    throw new SkillLoadError("Io", `${path} has ${record.size} bytes, and at most ${skillBounds.bytes} are read.`);
  }
  const bytes = await state.readFile(path);
  return bytes === null ? null : skillText(new Uint8Array(bytes), path);
}

/** The text of a skill's file. Throws a `SkillLoadError` if it is not UTF-8. */
export function skillText(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new SkillLoadError("Io", `${path} is not a text file.`);
  }
}
