// The fixtures of Standard Agents' types have exactly the members of its document: the fingerprints of both lists are equal.

import { createHash } from "node:crypto";

import { parseSync } from "oxc-parser";
import type { TSSignature } from "oxc-parser";
import { expect, it } from "vitest";

import { publishedFiles } from "./published.ts";

/** SHA-256 of the sorted list of `Type.member`, one in a line, as it was read from the document's own declarations. */
const documentMembers = "e4a4d7b395c4513e74a0539fbc6f9199eb99241cc82807ff25ab706cd92ab314";

function members(owner: string, signatures: TSSignature[]): string[] {
  return signatures.flatMap((member) =>
    (member.type === "TSPropertySignature" || member.type === "TSMethodSignature") && member.key.type === "Identifier"
      ? [`${owner}.${member.key.name}`]
      : [],
  );
}

function membersOf(file: string, text: string): string[] {
  return parseSync(file, text).program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type === "TSInterfaceDeclaration") return members(declaration.id.name, declaration.body.body);
    if (declaration?.type !== "TSTypeAliasDeclaration") return [];
    const { id, typeAnnotation } = declaration;
    return typeAnnotation.type === "TSTypeLiteral" ? members(id.name, typeAnnotation.members) : [];
  });
}

it("The types in the fixtures have exactly the members of Standard Agents' types", () => {
  const listed = Object.entries(publishedFiles).flatMap(([file, text]) => membersOf(file, text));
  const list = [...new Set(listed)].toSorted().join("\n");
  expect(list).toContain("ThreadState.getMessages");
  expect(createHash("sha256").update(list).digest("hex")).toBe(documentMembers);
});
