// Reads the frontmatter of a `SKILL.md`: YAML between two lines `---` at the beginning of the file (AgentSkills; REQ-110).

import { isObject } from "../json-value.ts";
import { isVisible } from "../visible-text.ts";
import { parseBoundedYaml } from "./bounded-yaml.ts";

/** Bounds of a frontmatter. Its keys are compared with each other, which takes quadratic time. */
const bounds = { units: 8 * 1024, tokens: 4096, depth: 32 };

/** The maximum lengths of the name, the description and the compatibility (AgentSkills). A longer description is shortened. */
const nameLimit = 64;
const descriptionLimit = 1024;
const compatibilityLimit = 500;

/** The fields of AgentSkills. Only the name and the description have an effect. */
const knownFields = new Set(["name", "description", "license", "compatibility", "metadata", "allowed-tools"]);

/** The maximum number of unknown fields that a warning names, and the maximum length of a name in it. */
const mostNamed = 5;
const longestNamed = 50;

/**
 * The frontmatter of a skill, or the problem that makes the skill unusable: a model could not choose it, or a prompt could not name it.
 * `warnings` are problems of a skill that can be used.
 */
export type SkillFrontmatter =
  | { ok: true; name: string; description: string; warnings: string[] }
  | { ok: false; code: "invalid_frontmatter" | "missing_field" | "invalid_field"; problem: string };

/** Reads the name and the description of a skill. The name has to equal `folder`, the name of the skill's folder. */
export function skillFrontmatter(text: string, folder: string): SkillFrontmatter {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  const [, block] = /^\uFEFF?---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(lines) ?? [];
  if (block === undefined) {
    return refused("invalid_frontmatter", "the file does not begin with YAML between two lines ---");
  }
  const fields = (block.length > bounds.units ? null : yamlFields(block)) ?? lineFields(block);
  if (fields === null) return refused("invalid_frontmatter", "the frontmatter is not a YAML mapping");
  for (const field of ["name", "description"] as const) {
    const value = fields[field];
    if (value === undefined || value === null || (typeof value === "string" && !isVisible(value))) {
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
  const shown = description.length > descriptionLimit ? shortened(description) : description;
  return { ok: true, name, description: shown, warnings: warningsOf(fields, description) };
}

/** The first characters of a description, and an ellipsis as the last one. */
function shortened(description: string): string {
  return `${description.slice(0, descriptionLimit - 1).toWellFormed()}…`;
}

function warningsOf(fields: Record<string, unknown>, description: string): string[] {
  const { compatibility } = fields;
  const unknown = Object.keys(fields).filter((field) => !knownFields.has(field));
  const names = unknown.slice(0, mostNamed).map((field) => JSON.stringify(field.slice(0, longestNamed)));
  const warnings: string[] = [];
  if (description.length > descriptionLimit) {
    const lengths = `has ${description.length} characters, and a model reads the first ${descriptionLimit - 1}`;
    warnings.push(`the description ${lengths}; shorten it to at most ${descriptionLimit}`);
  }
  if (typeof compatibility === "string" && compatibility.length > compatibilityLimit) {
    warnings.push(`the compatibility has more than ${compatibilityLimit} characters`);
  }
  if (unknown.length > 0) {
    const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : "";
    warnings.push(`the frontmatter has fields that no skill has, and that have no effect: ${names.join(", ")}${more}`);
  }
  return warnings;
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
 * Reads the name and the description line by line, with the indented lines after each. For texts that are not YAML, such as
 * `description: Reads: all files`. Null if there is neither.
 */
function lineFields(block: string): Record<string, unknown> | null {
  const found = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of block.split("\n")) {
    const [, key, text = ""] = /^(name|description):(.*)$/.exec(line) ?? [];
    if (key !== undefined) found.set(key, (current = [text.trim()]));
    else if (/^\s/.test(line)) current.push(line.trim());
    else if (line !== "") current = [];
  }
  return found.size === 0 ? null : Object.fromEntries([...found].map(([key, lines]) => [key, lineText(lines)]));
}

/** The text of a field: the rest of its first line, which may be the mark of a block of text or begin with a quotation mark, and its further lines. */
function lineText([first = "", ...more]: readonly string[]): string {
  const [, mark] = /^([>|])[-+\d]*(?:\s+#.*)?$/.exec(first) ?? [];
  const text = mark === undefined ? [first, ...more].join(" ") : more.join(mark === "|" ? "\n" : " ");
  return /^(["'])(.*)\1$/s.exec(text.trim())?.[2] ?? text.trim();
}
