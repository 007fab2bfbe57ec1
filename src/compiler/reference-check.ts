// Checks that every name a definition refers to is defined: models, prompts, strategies, and definitions that can be called as a tool.

import { closestWord } from "#lib/edit-distance.ts";
import type { SideConfig } from "#spec/agent.ts";
import type { DiagnosticCode } from "#spec/diagnostic.ts";
import type { AnyPromptDefinition } from "#spec/prompt.ts";

import { builtInTools } from "./built-in-tool-names.ts";
import { toolSources, type NamedKind } from "./definition-kind.ts";
import type { Findings } from "./findings.ts";
import type { MisplacedDefinition } from "./misplaced.ts";
import {
  callablesOf,
  definitionsOf,
  mayBeBroken,
  prefixedDefinitions,
  type Definition,
  type Project,
} from "./project.ts";
import type { DefinitionPath } from "./syntax-tree.ts";

/** A reference to a definition by its name. */
export interface Reference {
  /** The kinds that the name may refer to. */
  kinds: readonly NamedKind[];
  name: string;
  file: string;
  path: DefinitionPath;
}

const callable: readonly NamedKind[] = ["tool", "prompt", "agent"];

/** All references of the project. */
export function findReferences(project: Project): Reference[] {
  return [
    ...project.models.flatMap(({ file, value }) =>
      (value.fallbacks ?? []).map((name, index) => reference(["model"], name, { file, path: ["fallbacks", index] })),
    ),
    ...project.prompts.flatMap(promptReferences),
    ...project.sources.mcp.flatMap(({ file, value: { sampling } }) =>
      sampling === undefined ? [] : [reference(["model"], sampling.model, { file, path: ["sampling", "model"] })],
    ),
    ...project.agents.flatMap(({ file, value }) => [
      ...strategyReferences(file, [], value),
      ...sideReferences(file, "sideA", value.sideA),
      ...(value.sideB ? sideReferences(file, "sideB", value.sideB) : []),
    ]),
    ...project.tools.flatMap(({ file, value }) =>
      (value.options?.dependsOn ?? []).map((name, index) =>
        reference(callable, name, { file, path: ["argument:3", "dependsOn", index] }),
      ),
    ),
  ];
}

function reference(kinds: readonly NamedKind[], name: string, at: { file: string; path: DefinitionPath }): Reference {
  return { kinds, name, ...at };
}

function promptReferences({ file, value }: Definition<AnyPromptDefinition>): Reference[] {
  const parts = typeof value.prompt === "string" ? [] : value.prompt;
  return [
    reference(["model"], value.model, { file, path: ["model"] }),
    ...(value.context?.model === undefined
      ? []
      : [reference(["model"], value.context.model, { file, path: ["context", "model"] })]),
    ...parts.flatMap((part, index) =>
      part.type === "include" ? [reference(["prompt"], part.prompt, { file, path: ["prompt", index, "prompt"] })] : [],
    ),
    ...(value.tools ?? []).map((tool, index) =>
      typeof tool === "string"
        ? reference(callable, tool, { file, path: ["tools", index] })
        : reference(["prompt"], tool.name, { file, path: ["tools", index, "name"] }),
    ),
  ];
}

function sideReferences(file: string, side: "sideA" | "sideB", config: SideConfig): Reference[] {
  const tools = (["stopTool", "endSessionTool"] as const).flatMap((field) => {
    const name = config[field];
    return name === undefined ? [] : [reference(callable, name, { file, path: [side, field] })];
  });
  const strategies = strategyReferences(file, [side], config);
  return [reference(["prompt"], config.prompt, { file, path: [side, "prompt"] }), ...tools, ...strategies];
}

/** The names of the strategies that every project has. */
export const builtInStrategies: readonly string[] = ["loop", "react", "plan"];

function strategyReferences(
  file: string,
  base: DefinitionPath,
  { strategy }: Pick<SideConfig, "strategy">,
): Reference[] {
  if (typeof strategy !== "string" || builtInStrategies.includes(strategy)) return [];
  return [reference(["strategy"], strategy, { file, path: [...base, "strategy"] })];
}

/** Reports references to names that are not defined. */
export function checkReferences(
  project: Project,
  findings: Findings,
  misplaced: readonly MisplacedDefinition[] = [],
): void {
  const everything = [
    ...callablesOf(project),
    ...project.models.map((model) => ({ ...model, kind: "model" as const })),
  ];
  const prefixes = prefixedDefinitions(project).map(({ prefix }) => prefix);
  for (const { kinds, name, file, path } of findReferences(project)) {
    if (kinds === callable && prefixes.some((prefix) => name.startsWith(`${prefix}__`))) continue;
    // A definition that could not be read may have the prefix.
    if (kinds === callable && name.includes("__") && project.broken.some(({ kind }) => isSource(kind))) continue;
    const candidates = [
      ...kinds.flatMap((kind) => definitionsOf(project, kind).map((definition) => definition.name)),
      ...(kinds.includes("strategy") ? builtInStrategies : []),
    ];
    if (candidates.includes(name) || mayBeBroken(project, kinds, name)) continue;
    if (kinds === callable && builtInTools.has(name)) continue;
    const prefix = toolPattern.exec(name)?.[1];
    if (prefix !== undefined && kinds === callable) {
      findings.error({
        code: codes.tool,
        file,
        path,
        message: `"${name}" stands for all tools with the prefix "${prefix}", and no source of tools has that prefix`,
        suggestion: closestWord(
          name,
          prefixes.map((known) => `${known}__*`),
        ),
      });
      continue;
    }
    const broken = project.broken.flatMap((one) =>
      kinds.includes(one.kind) && one.name !== undefined ? [one.name] : [],
    );
    const other = everything.find((definition) => definition.name === name);
    const lost = misplaced.find((definition) => definition.name === name);
    const [kind = "tool"] = kinds;
    findings.error({
      code: codes[kind],
      file,
      path,
      message: `unknown ${kind} "${name}"`,
      suggestion: closestWord(name, [...candidates, ...broken, ...(kinds === callable ? builtInTools.keys() : [])]),
      ...(lost
        ? { notes: [`${lost.file} defines it and is not compiled: move it to ${lost.target}`] }
        : other
          ? { notes: [`"${name}" is ${other.kind === "agent" ? "an agent" : `a ${other.kind}`}: ${other.file}`] }
          : {}),
      ...(lost || other || candidates.length > 0
        ? {}
        : { notes: [`there is no ${kind} yet: npx threadhold new ${kind} ${name}`] }),
    });
  }
}

function isSource(kind: NamedKind): boolean {
  return Object.values(toolSources).some((source) => source.kind === kind);
}

/** `prefix__*`: every tool of the source with this prefix. Tools of `agents/tools/` can only be listed by their names. */
const toolPattern = /^(.+__)\*$/;

const codes: Record<NamedKind, DiagnosticCode> = {
  model: "unknown_model",
  provider: "unknown_provider",
  prompt: "unknown_prompt",
  tool: "unknown_tool",
  agent: "unknown_tool",
  strategy: "unknown_strategy",
  // Never used, because no definition refers to an MCP server by its name: prompts list the server's tools.
  "MCP server": "unknown_tool",
  "OpenAPI document": "unknown_tool",
};
