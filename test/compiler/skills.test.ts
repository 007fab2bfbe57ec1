// Skills of a project: their frontmatter, their files, and their names in prompts.

import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { expect, it, vi } from "vitest";

import { compileProject } from "#compiler/compile.ts";
import { namesSource, registrySource, skillsSource } from "#compiler/generated-source.ts";
import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";

import { runInProcess } from "./command.ts";
import { compileWith, good, onlyFinding, packageRoot, writeProject } from "./temporary-project.ts";

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
  ["with a blank description", text.replace("Use for reports.", '" "'), "no description"],
  ["with a description that is no text", text.replace("Use for reports.", "[1]"), "not a text"],
  ["with a name of more than 64 characters", text.replace("name: reports", `name: ${"n".repeat(65)}`), "more than 64"],
])("The build leaves out a skill %s with a warning, and keeps the other skills", async (_, given, problem) => {
  const other = { "agents/skills/other/SKILL.md": text.replace("reports", "other") };
  const { diagnostics, project } = await compileWith({ [main]: given, ...other, ...prompt(["reports", "other"]) });
  const message = expect.stringMatching(new RegExp(`^the skill is left out: .*${problem}`)) as string;
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "invalid_field", file: main, message }]);
  expect(project.skills.map(({ name }) => name)).toEqual(["other"]);
});

it.each([
  ["1,025 characters", "U".repeat(1025), 1025],
  ["more characters than the reader of YAML accepts", "U".repeat(20_000), 20_000],
  ["more lines than the reader of YAML accepts", `>\n${`  ${"U".repeat(2000)}\n`.repeat(5)}`, 10_004],
  ["a pair of surrogates at the limit", `${"U".repeat(1022)}\u{1F600}${"U".repeat(10)}`, 1034],
])(
  "The build shortens a description with %s to 1,024 characters, which end with an ellipsis, and warns",
  async (_, description, length) => {
    const given = text.replace("Use for reports.", description);
    const { diagnostics, project } = await compileWith({ [main]: given });
    expect(diagnostics).toMatchObject([
      { severity: "warning", message: expect.stringContaining(`has ${length} characters`) as string },
    ]);
    const [skill] = project.skills;
    expect(skill?.description).toMatch(/^U{1022}.…$/su);
    expect([skill?.description.length, skill?.description.isWellFormed()]).toEqual([1024, true]);
    expect(skill?.files["SKILL.md"]).toBe(given);
  },
);

it("The build warns of a long compatibility and of fields that no skill has, and uses the skill", async () => {
  const fields = Array.from({ length: 7 }, (__, at) => `field-${at}: x`).join("\n");
  const given = text.replace("description", `compatibility: ${"c".repeat(501)}\n${fields}\ndescription`);
  const { diagnostics, project } = await compileWith({ [main]: given });
  expect(diagnostics.map(({ severity, message }) => [severity, message])).toEqual([
    ["warning", "the compatibility has more than 500 characters"],
    ["warning", expect.stringMatching(/no effect: "field-0", .*"field-4" and 2 more$/)],
  ]);
  expect(project.skills).toHaveLength(1);
});

it("If the skills are too large together, the build leaves out those that do not fit and keeps the others", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 9 }, (__, at) => [`agents/skills/reports/${at}.md`, "x".repeat(250 * 1024)]),
  );
  const others = ["a", "z"].map((name) => [`agents/skills/${name}/SKILL.md`, text.replace("reports", name)] as const);
  const { diagnostics, project } = await compileWith({ [main]: text, ...files, ...Object.fromEntries(others) });
  expect(diagnostics).toMatchObject(
    [{ severity: "warning", code: "not_available", file: "agents/skills/reports", message: /left out/ }].map((one) => ({
      ...one,
      message: expect.stringMatching(one.message) as string,
    })),
  );
  expect(project.skills.map(({ name }) => name)).toEqual(["a", "z"]);
});

it("A build with a prompt whose only skill cannot be used succeeds", async () => {
  const root = writeProject({ ...good, [main]: "Be short.", ...prompt(["reports"]) });
  expect(await runInProcess(["build", "--root", root])).toMatchObject({ code: 0 });
});

it("The build refuses an unknown name of a skill, and warns of a skill without SKILL.md and of files that cannot be used", async () => {
  expect(await onlyFinding({ "agents/skills/reports/notes.md": "x" })).toMatchObject({
    severity: "warning",
    code: "invalid_field",
    file: "agents/skills/reports",
    message: "the skill is left out: it has no SKILL.md",
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
  const read = (value: string) => ({ ok: true, name: "a-1", description: value, warnings: [] });
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

/** The frontmatter of a skill with further fields. */
const withFields = (fields: string) => skillFrontmatter(`---\nname: a\n${fields}\n---\n`, "a");

it.each([
  ["no visible character", 'description: "\u200b"'],
  ["no line in broken YAML", "description: >-\nlicense: MIT: or not"],
])("A skill is refused whose description has %s", (_, fields) => {
  expect(withFields(fields)).toMatchObject({ code: "missing_field" });
});

it.each([
  [
    "a folded block",
    "description: >-\n  Reads files.\n  Writes: none.\nargument-hint: [a] [b]",
    "Reads files. Writes: none.",
  ],
  ["a block with a comment", "description: > # short\n  Reads files.\nargument-hint: [a] [b]", "Reads files."],
  [
    "a literal block",
    "description: |\n  Reads files.\n  Writes none.\nargument-hint: [a] [b]",
    "Reads files.\nWrites none.",
  ],
  [
    "further lines with a colon",
    "description: Use when\n  the user asks: reports\n\n  or sums\nlicense: MIT",
    "Use when the user asks: reports or sums",
  ],
  ["further lines in quotation marks", "description: 'Use when\n  asked'\nargument-hint: [a] [b]", "Use when asked"],
  ["further lines, and another field has lines", "description: One\n  two: 2\nmetadata:\n  a: 1", "One two: 2"],
])(
  "The whole description is read if the frontmatter is no YAML and the description has %s",
  (_, fields, description) => {
    expect(withFields(fields)).toMatchObject({ ok: true, description });
  },
);

it("The lines of a frontmatter may end with carriage returns", () => {
  const carriage = "---\rname: a\rdescription: One.\r---\rText";
  expect(skillFrontmatter(carriage, "a")).toMatchObject({ ok: true, description: "One." });
});

it("The build warns of each symbolic link in the folder of skills, and keeps the other files", async () => {
  const root = writeProject({ ...good, [main]: text, "shared/style.md": "Plain.", ...prompt(["reports"]) });
  symlinkSync(join(root, "shared"), join(root, "agents/skills/linked"));
  symlinkSync(join(root, "shared/style.md"), join(root, "agents/skills/reports/style.md"));
  const { diagnostics, project } = await compileProject(root, packageRoot);
  expect(diagnostics.map(({ severity, file, message }) => [severity, file, message])).toEqual([
    ["warning", "agents/skills/linked", expect.stringContaining("symbolic link")],
    ["warning", "agents/skills/reports/style.md", expect.stringContaining("symbolic link")],
  ]);
  expect(Object.keys(project.skills[0]?.files ?? {})).toEqual(["SKILL.md"]);
});
