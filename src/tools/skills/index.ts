// The entry `threadhold/tools/skills`: the list of skills in the system prompt, and the tool that returns their files (AgentSkills; REQ-109 to
// REQ-113).

import type { SkillChoice, Skills } from "#core/ports/skills-port.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { Log } from "#lib/log-port.ts";
import type { ProjectSkill } from "#spec/index.ts";

import { readSkillTool, skillsSection } from "./skill-access.ts";
import { projectSkill } from "./skill.ts";
import type { Skill } from "./skill.ts";
import { ThreadSkills } from "./thread-skills.ts";

/**
 * Opens the skills of the project and of a thread. Reads no file yet. A skill of the thread replaces one of the project with the same name.
 */
export function openSkills(project: readonly ProjectSkill[], { files, log }: { files: ThreadFiles; log: Log }): Skills {
  const own = new ThreadSkills(files, log);
  const chosen = async (choice: SkillChoice): Promise<ReadonlyMap<string, Skill>> => {
    const skills = new Map(project.map((skill) => [skill.name, projectSkill(skill)]));
    // A prompt that names skills uses the project's texts, because a user may write the files of the thread.
    if (choice === true) for (const skill of await own.all()) skills.set(skill.name, skill);
    const names = [...skills.keys()].filter((name) => choice === true || choice.includes(name)).toSorted();
    return new Map(names.flatMap((name) => [[name, skills.get(name)] as const]).filter(isSkill));
  };
  return {
    section: async (choice) => skillsSection([...(await chosen(choice)).values()]),
    tool: (choice) => readSkillTool(() => chosen(choice)),
  };
}

function isSkill(entry: readonly [string, Skill | undefined]): entry is readonly [string, Skill] {
  return entry[1] !== undefined;
}
