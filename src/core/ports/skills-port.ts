// The port of skills. `src/tools/skills/` implements it in a module that the registry loads when a prompt uses skills.

import type { Log } from "#lib/log-port.ts";
import type { ProjectSkill } from "#spec/index.ts";

import type { ThreadFiles } from "./thread-file-port.ts";
import type { DefinedTool } from "./tool-source-port.ts";

/**
 * The skills that a prompt uses: if `true`, all skills, including those of the thread's folder `/skills`; if a list, the skills of the
 * project with these names.
 */
export type SkillChoice = true | readonly string[];

/** The skills of one thread, for one run. */
export interface Skills {
  /** The section of the system prompt that lists the skills; empty if there are none. */
  section(choice: SkillChoice): Promise<string>;
  /** The tool that returns the files of a skill. */
  tool(choice: SkillChoice): DefinedTool;
}

export interface SkillsModule {
  openSkills(project: readonly ProjectSkill[], context: { files: ThreadFiles; log: Log }): Skills;
}
