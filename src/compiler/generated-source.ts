// The contents of the generated files.

import type { Diagnostic } from "#spec/diagnostic.ts";

import { usedBuiltInTools } from "./built-in-tools.ts";
import { toolSources, type NamedKind, type SourceFolder } from "./definition-kind.ts";
import { definitionsOf, prefixedDefinitions, type Definition, type Project } from "./project.ts";
import { compareRoutes } from "./route-pattern.ts";
import type { WorkerEnvironment } from "./worker-environment.ts";

const heading = "// Generated from agents/ by the compiler; changes made here are lost.\n";

/** The kinds whose files each registry lists. */
const fileKinds = ["models", "prompts", "agents", "tools", "strategies"] as const;

/** `.threadhold/registry.ts`. `toRoot` is the path from the generated file to the folder that contains `agents/`. */
export function registrySource(project: Project, hash: string, toRoot: string): string {
  const load = (file: string, indent: string, member = "default"): string => {
    const untyped = file.endsWith(".ts") ? "" : `\n${indent}// @ts-ignore -- a JavaScript module has no types`;
    return `${untyped}\n${indent}() => import(${JSON.stringify(`${toRoot}/${file}`)}).then((module) => module.${member})`;
  };
  const builtIn = usedBuiltInTools(project);
  const table = (name: string, definitions: readonly Definition<unknown>[], more: readonly string[] = []): string => {
    const own = byName(definitions).map((entry) => `    ${JSON.stringify(entry.name)}:${load(entry.file, "      ")},`);
    const entries = [...own, ...more];
    return `  ${name}: {${entries.length === 0 ? "" : `\n${entries.join("\n")}\n  `}},`;
  };
  const hasProviders = project.providers.length > 0;
  const ofProviders = hasProviders ? (["providers"] as const) : [];
  const files = ([...fileKinds, ...ofProviders] as const).map((kind) => {
    const packaged = kind === "tools" ? builtIn.map(({ name, entry }) => ({ name, file: entry })) : [];
    const rows = [...byName<unknown>(project[kind]), ...packaged].map(
      ({ name, file }) => `      ${JSON.stringify(name)}: ${JSON.stringify(file)},`,
    );
    return `    ${kind}: {${rows.length === 0 ? "" : `\n${rows.join("\n")}\n    `}},`;
  });
  const list = (name: string, entries: readonly { file: string; pair?: boolean }[]): string => {
    const rows = entries.map(({ pair, ...entry }) => {
      const fields = Object.entries(entry).map(([key, value]) => `      ${key}: ${JSON.stringify(value)},`);
      return `    {\n${fields.join("\n")}\n      load:${load(entry.file, "        ", pair ? "default[1]" : "default")},\n    },`;
    });
    return `  ${name}: [${rows.length === 0 ? "" : `\n${rows.join("\n")}\n  `}],`;
  };
  const source = (folder: SourceFolder): string => {
    const rows = prefixedDefinitions(project)
      .filter((definition) => definition.folder === folder)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, prefix, file }) => {
        const fields = Object.entries({ name, prefix, file }).map(
          ([key, value]) => `          ${key}: ${JSON.stringify(value)},`,
        );
        return `        {\n${fields.join("\n")}\n          load:${load(file, "            ")},\n        },`;
      });
    if (rows.length === 0) return "";
    const { module } = toolSources[folder];
    return `    {\n      kind: ${JSON.stringify(folder)},\n      load: () => import(${JSON.stringify(module)}),\n      definitions: [\n${rows.join("\n")}\n      ],\n    },\n`;
  };
  const sources = (Object.keys(toolSources) as SourceFolder[]).map(source).join("");
  return `${heading}import type { Registry } from "threadhold";

export const registry: Registry = {
${table("models", project.models)}
${hasProviders ? `${table("providers", project.providers)}\n` : ""}${catalogueSource(project)}${table("prompts", project.prompts)}
${table("agents", project.agents)}
${table(
  "tools",
  project.tools,
  builtIn.map(({ name, entry, member }) => `    ${JSON.stringify(name)}: ${loadBuiltIn(entry, member)},`),
)}
${table("strategies", project.strategies)}
${sources === "" ? "" : `  toolSources: [\n${sources}  ],\n`}${usesSkills(project) ? skillsEntry : ""}${list("hooks", project.hooks)}
${list("filters", project.filters)}
${list("routes", project.routes.toSorted(compareRoutes))}
  secrets: ${JSON.stringify(secretNames(project))},
  files: {
${files.join("\n")}
  },
  hash: ${JSON.stringify(hash)},
};
`;
}

/** The variables whose values are secrets: those of the project's files, and those in which models have keys and tokens. */
function secretNames({ environment, models, providers }: Project): string[] {
  const named = models.flatMap(({ value: { keyVariable, gateway } }) => [keyVariable, gateway?.tokenVariable]);
  const ofProviders = providers.flatMap(({ value: { variables = [] } }) => variables);
  return [
    ...new Set([...environment.secrets, ...ofProviders, ...named.filter((name) => typeof name === "string")]),
  ].toSorted();
}

/** The catalogue's entries of the project's models: a Worker has no others. */
function catalogueSource({ catalogue }: Project): string {
  if (Object.keys(catalogue).length === 0) return "";
  const text = JSON.stringify(catalogue, null, 2).replaceAll("\n", "\n  ");
  return `  catalogue: ${text},\n`;
}

const skillsEntry = `  skills: {
    load: () => import("threadhold/tools/skills"),
    project: () => import("./skills.ts").then((module) => module.skills),
  },
`;

/** Whether the registry has skills: the project defines skills, or a prompt uses skills. */
function usesSkills({ skills, prompts }: Project): boolean {
  return skills.length > 0 || prompts.some(({ value }) => value.skills !== undefined);
}

/** `.threadhold/skills.ts`: the texts of `agents/skills/`, which a thread loads when a prompt uses skills. Null without skills. */
export function skillsSource(project: Project): string | null {
  if (!usesSkills(project)) return null;
  return `${heading}import type { ProjectSkill } from "threadhold";

export const skills: readonly ProjectSkill[] = ${JSON.stringify(project.skills, null, 2)};
`;
}

function loadBuiltIn(entry: string, member: string): string {
  return `() => import(${JSON.stringify(entry)}).then((module) => module.${member})`;
}

/**
 * `.threadhold/names.d.ts`: the project's names as types, also those of definitions with an error. If such a definition's name is unknown,
 * every name of its kind type-checks, and without definitions any name does.
 */
export function namesSource(project: Project): string {
  const { models, providers, prompts, agents, tools, strategies, skills, broken } = project;
  const usesProviders = providers.length > 0 || broken.some(({ kind }) => kind === "provider");
  const prefixes = prefixedDefinitions(project).map(({ prefix }) => JSON.stringify(prefix));
  const union = (kind: NamedKind, more: readonly { name: string }[] = []): string => {
    const unread = broken.filter((definition) => definition.kind === kind);
    if (unread.some(({ name }) => name === undefined)) return "string";
    const own = [...definitionsOf(project, kind), ...unread].map(({ name }) => name ?? "").toSorted();
    return (
      [...new Set([...own, ...more.map(({ name }) => name)])].map((name) => JSON.stringify(name)).join(" | ") || "never"
    );
  };
  const isEmpty = [models, providers, prompts, agents, tools, strategies, broken].every((list) => list.length === 0);
  if (isEmpty && prefixes.length === 0 && skills.length === 0) return `${heading}export {};\n`;
  return `${heading}export {};

declare module "threadhold" {
  interface Register {
    models: ${union("model")};
${usesProviders ? `    providers: ${union("provider")};\n` : ""}    prompts: ${union("prompt")};
    agents: ${union("agent")};
    tools: ${union("tool", usedBuiltInTools(project))};
    strategies: ${union("strategy")};
${prefixes.length === 0 ? "" : `    toolPrefixes: ${prefixes.toSorted().join(" | ")};\n`}${skills.length === 0 ? "" : `    skills: ${skills.map(({ name }) => JSON.stringify(name)).join(" | ")};\n`}  }
}
`;
}

/** `.threadhold/env.d.ts`: the type of `state.env`, and the member `env` of every state. */
export function environmentSource({ names }: WorkerEnvironment): string {
  const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
  const fields = names.map(({ name, type, optional }) => `      readonly ${key(name)}${optional ? "?" : ""}: ${type};`);
  const register = `  interface Register {
    env: {
${fields.join("\n")}
    };
  }
`;
  return `// Generated from the wrangler file and .dev.vars by the compiler; changes made here are lost.
export {};

declare module "threadhold" {
${names.length === 0 ? "" : register}  interface ThreadState {
    readonly env: import("threadhold").WorkerEnv;
  }
}
`;
}

/** `.threadhold/diagnostics.ts`. */
export function diagnosticsSource(diagnostics: readonly Diagnostic[]): string {
  return `${heading}import type { Diagnostic } from "threadhold";

export const diagnostics: Diagnostic[] = ${JSON.stringify(diagnostics, null, 2)};
`;
}

/** `.threadhold/worker.ts`: the main module of a Worker that serves the project and nothing else. */
export const workerSource = `${heading}import { createThreadhold } from "threadhold/worker";

import { diagnostics } from "./diagnostics.ts";
import { registry } from "./registry.ts";

const threadhold = createThreadhold(registry, { diagnostics });

export const { ThreadObject, ThreadFeed } = threadhold;

export default { fetch: threadhold.fetch };
`;

function byName<Value>(definitions: readonly Definition<Value>[]): Definition<Value>[] {
  return definitions.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
