// Skills: folders with a `SKILL.md` and further text files (AgentSkills). The system prompt lists their names and descriptions, and the model
// reads a skill when a task needs it.

/** A skill of the project, from a folder of `agents/skills/`. */
export interface ProjectSkill {
  /** The name of the folder. */
  name: string;
  /** When to use the skill. */
  description: string;
  /** The texts of the skill's files, including `SKILL.md`, by their path in the folder. */
  files: Readonly<Record<string, string>>;
}

/** The functions in the registry that load skills. The registry lacks them if the project has no skills and no prompt uses skills. */
export interface SkillsEntry {
  /** Loads the module of this package that reads skills. */
  load: () => Promise<object>;
  /** Loads the project's skills. */
  project: () => Promise<readonly ProjectSkill[]>;
}

/** The name of the tool that returns the files of a skill. */
export const readSkillName = "read_skill";
