// Converts zod's issues about a definition into findings. An unknown field is a warning with a suggested name, any other issue is an
// error.

import type { z } from "zod";

import { closestWord } from "#lib/edit-distance.ts";

import { withArticle, type NamedKind } from "./definition-kind.ts";
import { definitionShapes, knownNames } from "./definition-shape.ts";
import type { Findings } from "./findings.ts";
import type { DefinitionPath } from "./syntax-tree.ts";

/** A value to check, with its position in the file. */
export interface ShapeSubject {
  kind: NamedKind;
  file: string;
  value: unknown;
  /** The path of the value in the default export; empty for the definition's object. */
  base: DefinitionPath;
}

/** Checks the fields. Returns whether further checks can use the definition. */
export function checkShape(subject: ShapeSubject, findings: Findings): boolean {
  const parsed = definitionShapes[subject.kind].safeParse(subject.value);
  if (parsed.success) return true;
  let usable = true;
  for (const issue of parsed.error.issues.flatMap(mostSpecific)) {
    if (issue.code === "unrecognized_keys") reportUnknown(issue, subject, findings);
    else {
      usable = false;
      reportInvalid(issue, subject, findings);
    }
  }
  return usable;
}

type Issue = z.core.$ZodIssue;

/** The issues of a union's branch that matches best, since that branch was probably meant. */
function mostSpecific(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const depth = (issues: readonly Issue[]): number => Math.max(0, ...issues.map((inner) => inner.path.length));
  const byDepth = issue.errors.toSorted((one, other) => depth(other) - depth(one));
  const best = byDepth[0] ?? [];
  const unknownKeys = issue.errors.find((issues) => issues.every((inner) => inner.code === "unrecognized_keys"));
  const chosen = unknownKeys ?? (depth(best) > 0 ? best : undefined);
  if (!chosen) return [issue];
  return chosen.flatMap((inner) => mostSpecific({ ...inner, path: [...issue.path, ...inner.path] }));
}

function pathOf(issue: Issue): (string | number)[] {
  return issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
}

function reportUnknown(
  issue: Extract<Issue, { code: "unrecognized_keys" }>,
  { kind, file, base }: ShapeSubject,
  findings: Findings,
): void {
  const path = pathOf(issue);
  const known = knownNames(kind, path);
  for (const key of issue.keys) {
    const owner =
      path.length === 0 ? (kind === "tool" ? "a tool's options" : withArticle(kind)) : `"${path.join(".")}"`;
    // A provider is code that requests depend on, so a misspelt option fails the build.
    findings[kind === "provider" ? "error" : "warning"]({
      code: "unknown_field",
      file,
      path: [...base, ...path, key],
      target: "key",
      message: `unknown field "${key}" of ${owner}`,
      suggestion: closestWord(key, known),
    });
  }
}

function reportInvalid(issue: Issue, { kind, file, value, base }: ShapeSubject, findings: Findings): void {
  const path = pathOf(issue);
  const found = path.reduce<unknown>(
    (inner, key) => (inner === undefined ? inner : Reflect.get(Object(inner), key)),
    value,
  );
  const field = path.join(".");
  const options = issue.code === "invalid_value" ? issue.values.map(String) : [];
  findings.error({
    code: "invalid_field",
    file,
    path: [...base, ...path],
    message:
      found === undefined && issue.code !== "custom"
        ? `${kind} without "${field}"`
        : `"${field}" of ${withArticle(kind)}: ${issue.message.replace(/^Invalid /, "invalid ")}`,
    suggestion: typeof found === "string" ? closestWord(found, options) : undefined,
  });
}
