// Every variable that the Worker reads is in the operator's guide and in the example of `.dev.vars`.

import { readFileSync } from "node:fs";

import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";

const sources = ["src/worker/bindings.ts", "src/worker/deployment-limits.ts", "src/http/variables.ts"];
const documents = ["docs/guide/variables.md", ".dev.vars.example"];

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

/** Names in capitals of the interfaces of a file whose values are text. */
function variablesOf(file: string): string[] {
  const { program } = parseSync(file, read(file));
  return program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
    if (declaration?.type !== "TSInterfaceDeclaration") return [];
    return declaration.body.body.flatMap((member) => {
      if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier") return [];
      const type = member.typeAnnotation?.typeAnnotation;
      const types = type?.type === "TSUnionType" ? type.types : [type];
      const isText = types.some((one) => one?.type === "TSStringKeyword");
      return isText && /^[A-Z][A-Z0-9_]+$/.test(member.key.name) ? [member.key.name] : [];
    });
  });
}

const variables = sources.flatMap(variablesOf);

it("The variables of the Worker are found in its sources", () => {
  expect(variables).toEqual(expect.arrayContaining(["API_TOKENS", "LIMIT_RUN_COST", "MAX_FILE_BYTES"]));
  expect(variables.length).toBeGreaterThan(20);
});

it.each(documents)("%s has every variable that the Worker reads", (document) => {
  const text = read(document);
  expect(variables.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});
