// Checks that names are unique: no two definitions of a kind and no two callables of a model have the same name. A prompt and an agent
// may have the same name as long as no model can call that name.

import { isToolName } from "./definition-name.ts";
import type { Findings } from "./findings.ts";
import { callablesOf, definitionsOf, prefixedDefinitions } from "./project.ts";
import type { PrefixedDefinition, Project } from "./project.ts";
import { builtInStrategies, findReferences } from "./reference-check.ts";

/** Reports names that are used twice, and callables whose names a provider may refuse. */
export function checkNames(project: Project, findings: Findings): void {
  for (const kind of [
    "model",
    "provider",
    "prompt",
    "agent",
    "tool",
    "strategy",
    "MCP server",
    "OpenAPI document",
  ] as const) {
    const first = new Map<string, string>();
    for (const { name, file } of definitionsOf(project, kind)) {
      const earlier = first.get(name);
      if (earlier === undefined) first.set(name, file);
      else {
        findings.error({
          code: "duplicate_name",
          file,
          ...(kind === "tool" ? {} : { path: ["name"] }),
          message: `another ${kind} is called "${name}"`,
          notes: [`the first is ${earlier}`],
        });
      }
    }
  }
  checkCallables(project, findings);
  checkPrefixes(project, findings);
  for (const { name, file } of project.strategies) {
    if (!builtInStrategies.includes(name)) continue;
    findings.error({
      code: "duplicate_name",
      file,
      path: ["name"],
      message: `"${name}" is the name of a built-in strategy; an agent could not refer to this one`,
    });
  }
}

/** Reports definitions with the same prefix, because their tools could have the same names. */
function checkPrefixes(project: Project, findings: Findings): void {
  const first = new Map<string, PrefixedDefinition>();
  for (const definition of prefixedDefinitions(project)) {
    const { prefix, file, name } = definition;
    const earlier = first.get(prefix);
    first.set(prefix, earlier ?? definition);
    // Two definitions with the same name are already reported.
    if (earlier === undefined || (earlier.name === name && earlier.folder === definition.folder)) continue;
    findings.error({
      code: "duplicate_name",
      file,
      path: ["prefix"],
      message: `another definition also has the prefix "${prefix}"; set a different one, because the prefix in a tool's name identifies the definition`,
      notes: [`the first is ${earlier.file}`],
    });
  }
}

function checkCallables(project: Project, findings: Findings): void {
  const called = new Set(findReferences(project).flatMap(({ kinds, name }) => (kinds.length > 1 ? [name] : [])));
  for (const agent of project.agents) if (agent.value.exposeAsTool) called.add(agent.name);
  for (const prompt of project.prompts) {
    for (const tool of prompt.value.tools ?? []) if (typeof tool !== "string") called.add(tool.name);
  }
  const first = new Map<string, { kind: string; file: string }>();
  for (const { kind, name, file } of callablesOf(project)) {
    const earlier = first.get(name);
    first.set(name, earlier ?? { kind, file });
    const path = kind === "tool" ? {} : { path: ["name"] };
    if (earlier && earlier.kind !== kind && (called.has(name) || earlier.kind === "tool")) {
      findings.error({
        code: "duplicate_name",
        file,
        ...path,
        message: `${article(kind)} and ${article(earlier.kind)} are both called "${name}", and a model can call either`,
        notes: [`the other is ${earlier.file}`],
      });
    }
    if (called.has(name) && !isToolName(name)) {
      findings.error({
        code: "bad_name",
        file,
        ...path,
        message: `"${name}" is called as a tool, so it may have only letters, digits, _ and -, at most 64`,
      });
    }
  }
}

function article(kind: string): string {
  return kind === "agent" ? "an agent" : `a ${kind}`;
}
