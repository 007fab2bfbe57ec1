// Reads the frontmatter of a `SKILL.md`: YAML between two lines `---` at the beginning of the file (AgentSkills; REQ-110).

import { isObject } from "../json-value.ts";
import { parseBoundedYaml } from "./bounded-yaml.ts";

/** Bounds of a frontmatter. Its keys are compared with each other, which takes quadratic time. */
const bounds = { units: 8 * 1024, tokens: 4096, depth: 32 };

/** The maximum lengths of the name and the description (AgentSkills). */
const nameLimit = 64;
const descriptionLimit = 1024;

/** The frontmatter of a skill, or the problem that makes it invalid. */
export type SkillFrontmatter =
  | { ok: true; name: string; description: string }
  | { ok: false; code: "invalid_frontmatter" | "missing_field" | "invalid_field"; problem: string };

/** Reads the name and the description of a skill. The name has to equal `folder`, the name of the skill's folder. */
export function skillFrontmatter(text: string, folder: string): SkillFrontmatter {
  const [, block] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (block === undefined || block.length > bounds.units) {
    return refused("invalid_frontmatter", "the file does not begin with YAML between two lines ---");
  }
  const fields = yamlFields(block) ?? lineFields(block);
  if (fields === null) return refused("invalid_frontmatter", "the frontmatter is not a YAML mapping");
  for (const field of ["name", "description"] as const) {
    const value = fields[field];
    if (value === undefined || value === null || value === "") {
      return refused("missing_field", `the frontmatter has no ${field}`);
    }
    if (typeof value !== "string")
      return refused("invalid_field", `the ${field} is not a text; put it in quotation marks`);
  }
  const { name, description } = fields as { name: string; description: string };
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > nameLimit) {
    return refused(
      "invalid_field",
      `the name ${JSON.stringify(name)} has other characters than a-z, 0-9 and single hyphens, or more than ${nameLimit}`,
    );
  }
  if (name !== folder) return refused("invalid_field", `the name "${name}" is not that of the folder, "${folder}"`);
  if (description.length > descriptionLimit) {
    return refused("invalid_field", `the description has more than ${descriptionLimit} characters`);
  }
  return { ok: true, name, description };
}

function refused(code: "invalid_frontmatter" | "missing_field" | "invalid_field", problem: string): SkillFrontmatter {
  return { ok: false, code, problem };
}

function yamlFields(block: string): Record<string, unknown> | null {
  try {
    const value = parseBoundedYaml(block, bounds, { uniqueKeys: true });
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Reads the name and the description line by line. For texts that are not YAML, such as `description: Reads: all files`. Null if there is
 * neither.
 */
function lineFields(block: string): Record<string, unknown> | null {
  const found = [...block.matchAll(/^(name|description):(.*)$/gm)];
  const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
  return found.length === 0
    ? null
    : Object.fromEntries(found.map(([, key = "", text = ""]) => [key, unquoted(text.trim())]));
}
