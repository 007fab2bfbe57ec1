// The skills that a program loads at run time (phi-core, SkillSet): their list in the system prompt, and a tool that returns their files.

import { consoleLog } from "#lib/log-port.ts";
import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";

import { definedProgramTool } from "../defined-program-tool.ts";
import type { ProgramTool } from "../program-tool.ts";
import { readSkillTool, skillsSection } from "./skill-access.ts";
import { SkillError } from "./skill.ts";
import type { Skill } from "./skill.ts";

/** Why a skill cannot be loaded. `Io`: a file or folder cannot be read, is too large, or a link leads out of its folder. */
export type SkillErrorKind = "Io" | "InvalidFrontmatter" | "MissingField" | "InvalidField";

/** The error of a skill that cannot be loaded. */
export class SkillLoadError extends SkillError {
  readonly kind: SkillErrorKind;

  constructor(kind: SkillErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A skill, and where it was loaded from (phi-core, Skill). */
export interface LoadedSkill {
  name: string;
  description: string;
  /** The absolute path of its `SKILL.md`. */
  file_path: string;
  /** The absolute path of its folder. */
  base_dir: string;
  /** The folder of skills that contains it, such as `dir:0`. */
  source: string;
}

/** A loaded skill with access to its files. */
export type SkillEntry = LoadedSkill & Skill;

const kinds = {
  invalid_frontmatter: "InvalidFrontmatter",
  missing_field: "MissingField",
  invalid_field: "InvalidField",
} as const;

/** Reads the frontmatter of the `SKILL.md` at `path`. Throws a `SkillLoadError`. Problems of a skill that can be used are logged. */
export function loadedFrontmatter(
  text: string,
  folder: string,
  path: string,
): Pick<LoadedSkill, "name" | "description"> {
  const read = skillFrontmatter(text, folder);
  if (!read.ok) throw new SkillLoadError(kinds[read.code], `The skill ${path} cannot be used: ${read.problem}.`);
  if (read.warnings.length > 0) consoleLog("warning", "skill_warning", { path, problems: read.warnings });
  return { name: read.name, description: read.description };
}

/** Skills, sorted by name, with one skill of each name. */
export class LoadedSkillSet {
  #entries: ReadonlyMap<string, SkillEntry>;

  /** A later skill replaces an earlier one with the same name. */
  constructor(entries: readonly SkillEntry[] = []) {
    this.#entries = sorted(entries);
  }

  /** The skills as plain data. */
  get skills(): LoadedSkill[] {
    return [...this.#entries.values()].map(({ name, description, file_path, base_dir, source }) => ({
      name,
      description,
      file_path,
      base_dir,
      source,
    }));
  }

  /** Adds the skills of another set, which replace skills with the same names. Returns this set. */
  merge(other: LoadedSkillSet): this {
    this.#entries = sorted([...this.#entries.values(), ...other.#entries.values()]);
    return this;
  }

  /** Returns the list of the skills for a system prompt, as XML with the names, descriptions and paths; empty without skills. */
  formatForPrompt(): string {
    return skillsSection([...this.#entries.values()]);
  }

  /** Returns the tool `read_skill`, with which a model reads the files of the skills. For loops, convert it with `convertTool`. */
  tool(): ProgramTool {
    return definedProgramTool(readSkillTool(() => Promise.resolve(this.#entries)));
  }

  /** The data of the skills. */
  toJSON(): { skills: LoadedSkill[] } {
    return { skills: this.skills };
  }
}

function sorted(entries: readonly SkillEntry[]): ReadonlyMap<string, SkillEntry> {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  return new Map([...byName].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
