// The list of skills in a system prompt, and the tool `read_skill`, for threads and programs (AgentSkills; REQ-111).

import type { DefinedTool } from "#core/ports/tool-source-port.ts";
import { readSkillName } from "#spec/project-skill.ts";

import { mainFile, SkillError } from "./skill.ts";
import type { Skill } from "./skill.ts";

/** A skill in the list. */
interface ShownSkill extends Pick<Skill, "name" | "description"> {
  /** The path of its main file. Absent: the model reads the skill with the tool. */
  file_path?: string;
}

/** Returns the list of the skills as XML, in their order; empty without skills. */
export function skillsSection(skills: readonly ShownSkill[]): string {
  if (skills.length === 0) return "";
  const entries = skills.map(({ name, description, file_path: location }) => {
    const place = location === undefined ? "" : `    <location>${xmlText(location)}</location>\n`;
    return `  <skill>\n    <name>${xmlText(name)}</name>\n    <description>${xmlText(description)}</description>\n${place}  </skill>\n`;
  });
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

/** The tool that returns the files of skills. */
export function readSkillTool(skills: () => Promise<ReadonlyMap<string, Skill>>): DefinedTool {
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
    repeatable: true,
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
