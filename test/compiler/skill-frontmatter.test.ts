// Frontmatter of skills that is written to harm the process that reads it.

import { expect, it } from "vitest";

import { skillFrontmatter } from "#lib/untrusted/skill-frontmatter.ts";

const deep = {
  "flow mappings": "{".repeat(8000),
  "flow sequences": "[".repeat(8000),
  "sequences in one line": "- ".repeat(4000),
  "sequences by tabs": "-\t".repeat(4000),
  "keys in one line": "? ".repeat(4000),
};

it.each(Object.entries(deep))(
  "The frontmatter of a skill with thousands of nested %s is refused, and the process does not crash",
  (_kind, block) => {
    // The process ends at one of the first thirty if the reader of YAML calls itself for each level.
    for (let time = 0; time < 30; time += 1) {
      expect(skillFrontmatter(`---\n${block}\n---\n`, "x")).toMatchObject({ ok: false, code: "invalid_frontmatter" });
    }
  },
);

it("Nested metadata and a description with brackets are accepted in the frontmatter of a skill", () => {
  const text =
    "---\nname: x\ndescription: 'Use for [a] {b} - c ? d : e'\nmetadata:\n  a: { b: [1, [2, [3]]] }\n  c:\n    - - d\n---\n";
  expect(skillFrontmatter(text, "x")).toMatchObject({
    ok: true,
    name: "x",
    description: "Use for [a] {b} - c ? d : e",
  });
});

it("If the description of a skill is no valid YAML, it is read as plain text without the spaces around it", () => {
  const description = `Use: a${" ".repeat(900)}b`;
  expect(skillFrontmatter(`---\r\nname: x\r\ndescription:  ${description} \t\r\n---\r\n`, "x")).toEqual({
    ok: true,
    name: "x",
    description,
    warnings: [],
  });
});
