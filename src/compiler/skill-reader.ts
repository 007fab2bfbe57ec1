// Reads the skills of a project: the folders of `agents/skills/`, each with a `SKILL.md` and further text files. A skill that cannot be used
// is left out with a warning, so that one skill never refuses a build.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { closestWord } from "#lib/edit-distance.ts";
import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";
import type { ProjectSkill } from "#spec/project-skill.ts";

import type { Findings } from "./findings.ts";
import type { Project } from "./project.ts";

const root = "agents/skills";
const mainFile = "SKILL.md";

/** The maximum number of bytes of a file, and of all files together, because they become part of the Worker. */
const mostFileBytes = 256 * 1024;
const mostBytes = 2 * 1024 * 1024;

/** Reads the skills of the project, sorted by name. Reports the files and skills that cannot be used. */
export function readSkills(projectRoot: string, findings: Findings): ProjectSkill[] {
  const folder = join(projectRoot, root);
  if (!existsSync(folder)) return [];
  const skills = sortedEntries(folder).flatMap((entry) => {
    if (entry.isSymbolicLink()) {
      reportLink(`${root}/${entry.name}`, findings);
      return [];
    }
    if (!entry.isDirectory()) {
      const message = `a skill is a folder with a ${mainFile}`;
      const suggestion = `${root}/${entry.name.replace(/\.\w+$/, "")}/${mainFile}`;
      findings.warning({ code: "bad_file_name", file: `${root}/${entry.name}`, message, suggestion });
      return [];
    }
    const skill = readSkill(projectRoot, entry.name, findings);
    return skill === null ? [] : [skill];
  });
  return fittingSkills(skills, findings);
}

/** Returns the skills that fit into the bound of all skills, in their order. Reports the others. */
function fittingSkills(skills: readonly ProjectSkill[], findings: Findings): ProjectSkill[] {
  let sum = 0;
  return skills.filter(({ name, files }) => {
    const bytes = Buffer.byteLength(JSON.stringify(files));
    if (sum + bytes <= mostBytes) {
      sum += bytes;
      return true;
    }
    const message =
      `the skill is left out: it has ${bytes} bytes, and with the skills before it ${sum + bytes}; ` +
      `all skills become part of the Worker, and the limit is ${mostBytes}`;
    findings.warning({ code: "not_available", file: `${root}/${name}`, message });
    return false;
  });
}

function sortedEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function readSkill(projectRoot: string, name: string, findings: Findings): ProjectSkill | null {
  const folder = `${root}/${name}`;
  const files: Record<string, string> = {};
  for (const { path, isLink } of pathsIn(join(projectRoot, folder), "")) {
    const file = `${folder}/${path}`;
    if (isLink) {
      reportLink(file, findings);
      continue;
    }
    const text = textOf(join(projectRoot, file));
    if (text !== null) files[path] = text;
    else {
      const message = `${path} is left out: a file of a skill is UTF-8 text of at most ${mostFileBytes} bytes`;
      findings.warning({ code: "not_available", file, message });
    }
  }
  const main = files[mainFile];
  if (main === undefined) {
    const message = `the skill is left out: it has no ${mainFile}`;
    findings.warning({ code: "invalid_field", file: folder, message });
    return null;
  }
  const read = skillFrontmatter(main, name);
  const file = `${folder}/${mainFile}`;
  const problems = read.ok ? read.warnings : [`the skill is left out: ${read.problem}`];
  for (const message of problems) findings.warning({ code: "invalid_field", file, message });
  return read.ok ? { name: read.name, description: read.description, files } : null;
}

/** Reports a symbolic link. It may lead out of the project, so it is not followed. */
function reportLink(file: string, findings: Findings): void {
  const message = "a symbolic link is left out; copy the files of the skill into the project";
  findings.warning({ code: "not_available", file, message });
}

/** Returns the paths of the files, and of the symbolic links, in a folder and its subfolders. */
function pathsIn(folder: string, prefix: string): { path: string; isLink: boolean }[] {
  return sortedEntries(folder).flatMap((entry) => {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return pathsIn(join(folder, entry.name), `${path}/`);
    const isLink = entry.isSymbolicLink();
    return isLink || entry.isFile() ? [{ path, isLink }] : [];
  });
}

/** Reads the text of a file; null if the file is too large or not UTF-8. */
function textOf(file: string): string | null {
  if (statSync(file).size > mostFileBytes) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch {
    return null;
  }
}

/** Reports each name in the `skills` of a prompt that is not the name of a folder of `agents/skills/`. */
export function checkSkillNames({ prompts, skills }: Project, projectRoot: string, findings: Findings): void {
  const names = skills.map(({ name }) => name);
  for (const { file, value } of prompts) {
    if (value.skills === undefined || value.skills === true) continue;
    for (const [index, name] of value.skills.entries()) {
      // If the folder exists, the reason why its skill cannot be used is already reported.
      if (names.includes(name) || existsSync(join(projectRoot, root, name))) continue;
      findings.error({
        code: "unknown_skill",
        file,
        path: ["skills", index],
        message: `unknown skill "${name}"`,
        suggestion: closestWord(name, names),
        ...(names.length > 0 ? {} : { notes: [`there is no skill yet: npx threadhold new skill ${name}`] }),
      });
    }
  }
}
