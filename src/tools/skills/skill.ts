// A skill, and errors about skills.

import type { ProjectSkill } from "#spec/index.ts";

/** The file that contains the description and the instructions of a skill. */
export const mainFile = "SKILL.md";

/** A skill of the project or of a thread. */
export interface Skill {
  name: string;
  description: string;
  /** The paths of the skill's files, relative to its folder, sorted. */
  paths(): Promise<readonly string[]>;
  /** The text of a file. Null if there is no such file. Throws `SkillError` for a file that cannot be returned. */
  read(path: string): Promise<string | null>;
}

/** An error whose message the model reads. */
export class SkillError extends Error {}

/** A skill of the project. */
export function projectSkill({ name, description, files }: ProjectSkill): Skill {
  return {
    name,
    description,
    paths: () => Promise.resolve(Object.keys(files).toSorted()),
    read: (path) => Promise.resolve(Object.hasOwn(files, path) ? (files[path] ?? null) : null),
  };
}
