// References from comments to the documents: their targets exist.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const sources = ["src", "playground", "scripts", "bench", "agents", "examples", "test"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !/(^|\/)(fixtures|node_modules)\//.test(name))
    .map((name) => ({ file: `${folder}/${name}`, text: read(`${folder}/${name}`) })),
);

/** The texts that the group `name` of a pattern matches in comments, each with its file. */
function named(pattern: RegExp): { file: string; name: string }[] {
  return sources.flatMap(({ file, text }) =>
    text.split("\n").flatMap((line) => {
      const comment = /^\s*(?:\/\/|\/?\*)(?<words>.*)|\s\/\/ (?<behind>.*)/.exec(line)?.groups;
      const words = comment?.["words"] ?? comment?.["behind"] ?? "";
      return [...words.matchAll(pattern)].map((match) => ({ file, name: match.groups?.["name"] ?? "" }));
    }),
  );
}

const headings = (file: string) =>
  [...read(file).matchAll(/^#+ (?<title>.*)$/gm)].map(({ groups }) => groups?.["title"] ?? "");
const missing = (pattern: RegExp, isThere: (name: string) => boolean) => {
  const all = named(pattern);
  expect(all.length).toBeGreaterThan(0);
  return all.filter(({ name }) => !isThere(name)).map(({ file, name }) => `${file}: ${name}`);
};

it("Comments refer only to sections and numbered points of the architecture document that exist", () => {
  const sections = read("docs/design/architecture.md").split(/^## (?=\d+\. )/m);
  const isThere = (name: string) => {
    const [number = "", point] = name.split(".");
    const section = sections.find((text) => text.startsWith(`${number}. `));
    return section !== undefined && (point === undefined || section.includes(`\n${point}. **`));
  };
  expect(missing(/architecture §(?<name>\d+(?:\.\d+)?)/g, isThere)).toEqual([]);
});

it("Comments refer only to headings of the figures and of the wire contract that exist", () => {
  const figures = headings("docs/reference/figures.md");
  expect(missing(/figures\.md, "(?<name>[^"]+)"/g, (name) => figures.includes(name))).toEqual([]);
  const wire = headings("docs/reference/wire.md");
  expect(missing(/\bcontract, "(?<name>[^"]+)"/g, (name) => wire.includes(name))).toEqual([]);
});

it("Comments refer only to decisions and decision records that exist", () => {
  const numbered = new Set(
    [...read("docs/decisions/0003-source-documents.md").matchAll(/^(\d+)\. /gm)].map(([, number]) => number),
  );
  expect(missing(/\bdecisions? (?<name>\d+)\b/g, (name) => numbered.has(name))).toEqual([]);
  const records = readdirSync(path.join(root, "docs/decisions"));
  const isRecord = (name: string) => records.some((file) => file.startsWith(`${name.padStart(4, "0")}-`));
  expect(missing(/\bdecision record (?<name>\d+)\b/g, isRecord)).toEqual([]);
});
