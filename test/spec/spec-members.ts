// The members that the authoring contract declares of the Standard Agents document: the exports of `src/spec` whose comment names the
// document, read from the syntax tree.

import { readFileSync, readdirSync } from "node:fs";

import { parseSync } from "oxc-parser";
import type { Comment, Declaration, Statement, TSSignature } from "oxc-parser";

const folder = new URL("../../src/spec/", import.meta.url);

/** `Type`, `Type.member` and `Type.member.member` of the document's types, and the names of its functions. */
export function specMembers(): Set<string> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  return new Set(files.flatMap((file) => membersOf(file, readFileSync(new URL(file, folder), "utf8"))));
}

function membersOf(file: string, text: string): string[] {
  const { program, comments } = parseSync(file, text);
  // The members of a type that is not exported count as those of the type that extends it.
  const bases = new Map(
    program.body.flatMap((statement) =>
      statement.type === "TSInterfaceDeclaration" ? [[statement.id.name, statement.body.body] as const] : [],
    ),
  );
  return program.body.flatMap((statement) => {
    const declaration = exported(statement);
    if (declaration === null || !namesDocument(commentAbove(statement, { comments, text }))) return [];
    return declared(declaration, bases);
  });
}

function exported(statement: Statement): Declaration | null {
  return statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
}

function commentAbove({ start }: Statement, { comments, text }: { comments: Comment[]; text: string }): string {
  const last = comments.findLast((comment) => comment.end <= start);
  return last !== undefined && text.slice(last.end, start).trim() === "" ? last.value : "";
}

function namesDocument(comment: string): boolean {
  return comment.replace(/\s*\*\s*/g, " ").includes("(Standard Agents");
}

function declared(declaration: Declaration, bases: ReadonlyMap<string, TSSignature[]>): string[] {
  switch (declaration.type) {
    case "TSInterfaceDeclaration": {
      const { name } = declaration.id;
      const inherited = (declaration.extends ?? []).flatMap(({ expression }) =>
        expression.type === "Identifier" ? (bases.get(expression.name) ?? []) : [],
      );
      return [name, ...[...declaration.body.body, ...inherited].flatMap((member) => signature(name, member))];
    }
    case "TSTypeAliasDeclaration":
      return [declaration.id.name];
    case "FunctionDeclaration":
    case "TSDeclareFunction":
      return declaration.id === null ? [] : [declaration.id.name];
    default:
      return [];
  }
}

function signature(owner: string, member: TSSignature): string[] {
  if (member.type !== "TSPropertySignature" && member.type !== "TSMethodSignature") return [];
  const { key } = member;
  if (key.type !== "Identifier") return [];
  const name = `${owner}.${key.name}`;
  const type = member.type === "TSPropertySignature" ? member.typeAnnotation?.typeAnnotation : undefined;
  if (type?.type === "TSTypeLiteral") return [name, ...type.members.flatMap((inner) => signature(name, inner))];
  const [element] = type?.type === "TSTypeReference" ? (type.typeArguments?.params ?? []) : [];
  if (element?.type !== "TSTypeLiteral") return [name];
  return [name, ...element.members.flatMap((inner) => signature(name, inner))];
}
