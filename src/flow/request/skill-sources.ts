// The skills of a thread: a section of the system prompt, and the tool that returns their files. The module that reads skills is loaded when
// a prompt uses skills.

import { refuse } from "#contract/error.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { SkillChoice, Skills, SkillsModule } from "#core/ports/skills-port.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { Log } from "#lib/log-port.ts";
import type { SkillsEntry } from "#spec/index.ts";
import { readSkillName } from "#spec/project-skill.ts";

import { definedRunner } from "../tool-source/defined-tools.ts";
import type { ToolSource } from "../tool-source/tool-source.ts";
import type { SectionSource } from "./system-prompt.ts";

/** The skills of a thread, for one run. */
export interface SkillSources {
  section: SectionSource;
  /** Creates the source of the tool. `choice` returns the choice of the current step's prompt; undefined if the prompt uses no skills. */
  tools: (choice: () => SkillChoice | undefined) => ToolSource;
}

/** Creates the sources. Nothing is loaded before a prompt uses skills. */
export function skillSources(
  entry: SkillsEntry | undefined,
  { files, log, faults }: { files: ThreadFiles; log: Log; faults: Faults },
): SkillSources {
  let opened: Skills | undefined;
  const open = async (): Promise<Skills> => {
    if (opened !== undefined) return opened;
    if (entry === undefined)
      throw refuse("conflict", "A prompt uses skills, and the registry has none. Build agents/ again.");
    await faults.at("skills.load");
    const [module, project] = await Promise.all([entry.load(), entry.project()]);
    return (opened ??= (module as SkillsModule).openSkills(project, { files, log }));
  };
  const runnerOf = async (choice: SkillChoice) => definedRunner((await open()).tool(choice), faults);
  return {
    section: async ({ skills }) => {
      if (skills === undefined) return [];
      const known = await open();
      await faults.at("skills.list");
      return [await known.section(skills)];
    },
    tools: (choice) => ({
      title: "The skills",
      // Empty, because the name of the tool has no prefix, so no pattern of a prompt includes it.
      names: () => Promise.resolve([]),
      runner(name) {
        const chosen = name === readSkillName ? choice() : undefined;
        return chosen === undefined ? null : runnerOf(chosen);
      },
    }),
  };
}
