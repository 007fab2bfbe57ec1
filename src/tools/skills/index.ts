// The entry `threadhold/tools/skills`: the list of skills in the system prompt, and the tool that returns their files (AgentSkills; REQ-109 to
// REQ-113).

import type { SkillChoice, Skills } from "#core/ports/skills-port.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { DefinedTool } from "#core/ports/tool-source-port.ts";
import type { Log } from "#lib/log-port.ts";
import type { ProjectSkill } from "#spec/index.ts";
import { readSkillName } from "#spec/project-skill.ts";

import { mainFile, projectSkill, SkillError } from "./skill.ts";
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

/** Returns the list of the skills as XML, in their order; empty without skills. */
function skillsSection(skills: readonly Skill[]): string {
  if (skills.length === 0) return "";
  const entries = skills.map(
    ({ name, description }) =>
      `  <skill>\n    <name>${xmlText(name)}</name>\n    <description>${xmlText(description)}</description>\n  </skill>\n`,
  );
  return `<available_skills>\n${entries.join("")}</available_skills>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

function xmlText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

interface Args {
  name: string;
  path?: string;
}

function readSkillTool(skills: () => Promise<ReadonlyMap<string, Skill>>): DefinedTool {
  return {
    name: readSkillName,
    description:
      "Returns the instructions of a skill, or another file of it. Before a task that the description of a skill matches, read the skill and follow it.",
    parameters: {
      type: "object",
      properties: {
        name: { type: "string", description: "The name of the skill." },
        path: {
          type: "string",
          description: `A file of the skill, such as references/forms.md. Default: ${mainFile}.`,
        },
      },
      required: ["name"],
      additionalProperties: false,
    },
    idempotent: true,
    timeoutMs: 30_000,
    // The arguments match the schema.
    call: async (args) => ({ status: "success", result: await fileOf(await skills(), args as unknown as Args) }),
  };
}

async function fileOf(skills: ReadonlyMap<string, Skill>, { name, path = mainFile }: Args): Promise<string> {
  const skill = skills.get(name);
  if (skill === undefined) {
    throw new SkillError(`There is no skill "${name}". The skills are: ${[...skills.keys()].join(", ") || "none"}.`);
  }
  const file = path.replace(/^\.\//, "");
  const isInside = file.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  const text = isInside ? await skill.read(file) : null;
  const paths = text === null || file === mainFile ? await skill.paths() : [];
  if (text === null)
    throw new SkillError(`The skill "${skill.name}" has no file "${file}". Its files are: ${paths.join(", ")}.`);
  const others = paths.filter((each) => each !== mainFile);
  return others.length === 0 ? text : `${text.trimEnd()}\n\n[Further files of the skill: ${others.join(", ")}]`;
}
