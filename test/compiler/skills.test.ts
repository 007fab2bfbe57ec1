// Skills of a project: their frontmatter, their files, and their names in prompts.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it, vi } from "vitest";

import { namesSource, registrySource, skillsSource } from "#compiler/generated-source.ts";
import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";

import { runInProcess } from "./command.ts";
import { compileWith, good, onlyFinding, writeProject } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const main = "agents/skills/reports/SKILL.md";
const text = "---\nname: reports\ndescription: Use for reports.\n---\nBe short.\n";
const prompt = (skills: unknown) => ({
  "agents/prompts/support.ts": `import { definePrompt } from "threadhold";
export default definePrompt({ name: "support", toolDescription: "Supports", prompt: "Help.", model: "fast",
  skills: ${JSON.stringify(skills)} });`,
});

it("The generated code contains the texts of a project's skills; a project without skills has neither the texts nor the module of skills", async () => {
  const { diagnostics, project } = await compileWith({
    [main]: text,
    "agents/skills/reports/references/style.md": "Plain.",
    "agents/skills/reports/.hidden": "no",
    ...prompt(["reports"]),
  });
  expect(diagnostics).toEqual([]);
  expect(project.skills).toEqual([
    {
      name: "reports",
      description: "Use for reports.",
      files: { "SKILL.md": text, "references/style.md": "Plain." },
    },
  ]);
  expect(registrySource(project, "", "..")).toContain('import("threadhold/tools/skills")');
  expect(skillsSource(project)).toContain('"references/style.md": "Plain."');
  expect(namesSource(project)).toContain('skills: "reports";');
  const without = await compileWith({});
  expect(registrySource(without.project, "", "..")).not.toContain("skills");
  expect(skillsSource(without.project)).toBeNull();
  const threadsOnly = await compileWith(prompt(true));
  expect(registrySource(threadsOnly.project, "", "..")).toContain('import("threadhold/tools/skills")');
});

it("A build writes the skills, and a changed text changes the hash of the registry", async () => {
  const root = writeProject({ ...good, [main]: text, ...prompt(["reports"]) });
  const build = async () => {
    expect(await runInProcess(["build", "--root", root])).toMatchObject({ code: 0 });
    const generated = (name: string) => readFileSync(join(root, ".threadhold", name), "utf8");
    return { skills: generated("skills.ts"), hash: /hash: "(\w+)"/.exec(generated("registry.ts"))?.[1] };
  };
  const before = await build();
  expect(before.skills).toContain("Be short.");
  const { writeFiles } = await import("./temporary-project.ts");
  writeFiles(root, { [main]: text.replace("short", "long") });
  const after = await build();
  expect(after.skills).toContain("Be long.");
  expect(after.hash).not.toBe(before.hash);
});

it.each([
  ["without frontmatter", "Be short.", "does not begin with YAML"],
  ["whose frontmatter does not end", "---\nname: reports\ndescription: x", "does not begin with YAML"],
  ["without a description", "---\nname: reports\n---\n", "no description"],
  [
    "with the name of another folder",
    text.replace("name: reports", "name: notes"),
    'not that of the folder, "reports"',
  ],
  ["with a name in capitals", text.replace("name: reports", "name: Reports"), '"Reports"'],
  ["with a description of more than 1,024 characters", text.replace("Use", "U".repeat(1025)), "1024"],
])("The build refuses a skill %s", async (_, given, problem) => {
  expect(await onlyFinding({ [main]: given })).toMatchObject({
    severity: "error",
    code: "invalid_field",
    file: main,
    message: expect.stringContaining(problem),
  });
});

it("The build refuses a skill without SKILL.md and an unknown name of a skill, and warns of files that cannot be used", async () => {
  expect(await onlyFinding({ "agents/skills/reports/notes.md": "x" })).toMatchObject({
    code: "invalid_field",
    file: "agents/skills/reports",
    message: "the skill has no SKILL.md",
  });
  expect(await onlyFinding({ [main]: text, ...prompt(["report"]) })).toMatchObject({
    code: "unknown_skill",
    file: "agents/prompts/support.ts",
    suggestion: "reports",
  });
  expect(await onlyFinding({ "agents/skills/reports.md": text })).toMatchObject({
    severity: "warning",
    code: "bad_file_name",
    suggestion: "agents/skills/reports/SKILL.md",
  });
  const large = await onlyFinding({ [main]: text, "agents/skills/reports/large.txt": "x".repeat(256 * 1024 + 1) });
  expect(large).toMatchObject({ severity: "warning", code: "not_available", file: "agents/skills/reports/large.txt" });
});

it("The frontmatter of a skill may have a byte order mark, quotation marks, Windows line ends, further fields, and a colon in the description", () => {
  const description = (given: string) => skillFrontmatter(given, "a-1");
  const read = (value: string) => ({ ok: true, name: "a-1", description: value });
  expect(description('\uFEFF---\r\nname: a-1\r\ndescription: "Quoted: yes"\r\n---\r\nText')).toEqual(
    read("Quoted: yes"),
  );
  expect(description("---\nname: a-1\ndescription: Use when: always\nlicense: MIT\n---")).toEqual(
    read("Use when: always"),
  );
  expect(description("---\nname: 'a-1'\nmetadata:\n  version: 1\ndescription: >\n  Two\n  lines\n---\n")).toEqual(
    read("Two lines\n"),
  );
  expect(skillFrontmatter("---\n---\n", "a")).toMatchObject({ code: "invalid_frontmatter" });
  expect(skillFrontmatter("---\nname: a\n---\n", "a")).toMatchObject({ code: "missing_field" });
  expect(skillFrontmatter("---\nname: 1\ndescription: x\n---\n", "1")).toMatchObject({ code: "invalid_field" });
});
