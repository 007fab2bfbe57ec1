// Reads the frontmatter of a `SKILL.md`: YAML between two lines `---` at the beginning of the file (AgentSkills; REQ-110).

import { parse } from "yaml";

/** The maximum number of UTF-16 units of a frontmatter. The time of the YAML reader grows with the square of it. */
const mostUnits = 8 * 1024;

/** How many collections may be open at once, and how many indicators of collections may follow each other. */
const mostDepth = 32;
const nestedIndicators = new RegExp(String.raw`(?:[-?:][ \t]+){${mostDepth}}`);

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
  if (block === undefined || block.length > mostUnits) {
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
  if (isDeep(block)) return null;
  try {
    const value: unknown = parse(block, { schema: "core", logLevel: "error", prettyErrors: false });
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/**
 * Whether a text may be nested deeply. The YAML reader calls itself for each level, and a Node process ends if its stack is full while it
 * compiles a regular expression.
 */
function isDeep(block: string): boolean {
  let depth = 0;
  for (const character of block) {
    if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth = Math.max(0, depth - 1);
    if (depth > mostDepth) return true;
  }
  return nestedIndicators.test(block);
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
