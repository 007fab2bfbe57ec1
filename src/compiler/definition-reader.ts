// Reads loaded modules into the project: checks that each default export is of the kind of its folder, and stores it by name. An
// export that cannot be used is reported and recorded as broken.

import type { AnyAgentDefinition } from "#spec/agent.ts";
import type { ProviderDefinition } from "#spec/define-provider.ts";
import type { AnyStrategyDefinition } from "#spec/define-strategy.ts";
import type { AnyMcpServerDefinition } from "#spec/mcp-server.ts";
import type { AnyModelDefinition } from "#spec/model.ts";
import type { AnyOpenApiDefinition } from "#spec/open-api.ts";
import type { AnyPromptDefinition } from "#spec/prompt.ts";
import type { AnyToolDefinition } from "#spec/tool.ts";

import {
  exportKindOf,
  folderKinds,
  folderMakers,
  folderOf,
  isObject,
  withArticle,
  type DefinitionFolder,
  type NamedKind,
} from "./definition-kind.ts";
import { isDefinitionName, isToolName } from "./definition-name.ts";
import type { Findings } from "./findings.ts";
import { readHook } from "./hook-reader.ts";
import type { ModuleOutcome } from "./module-evaluation.ts";
import { baseName, type ProjectFile } from "./project-file.ts";
import type { Project } from "./project.ts";
import { readRoute } from "./route-reader.ts";
import { checkShape } from "./shape-check.ts";
import { checkSource, reportStdio } from "./source-check.ts";
import type { SyntaxTrees } from "./syntax-tree.ts";
import { checkObjectSchema, checkToolParts } from "./tool-check.ts";

/** The dependencies of a reader. */
export interface ReaderContext {
  project: Project;
  findings: Findings;
  trees: SyntaxTrees;
}

/** Reads one file into the project. */
export function readDefinition(file: ProjectFile, outcome: ModuleOutcome | undefined, context: ReaderContext): void {
  const { findings } = context;
  if (outcome?.type !== "loaded") {
    markBroken(file, context);
    if (outcome) reportThrown(file, outcome, context);
    return;
  }
  const value = outcome.exports.default;
  if (value === undefined) {
    markBroken(file, context);
    findings.error({
      code: "missing_default_export",
      file: file.file,
      message: "no default export",
      suggestion: `export default ${folderMakers[file.folder]}(…)`,
    });
    return;
  }
  if (!isProbablyOf(value, file.folder)) {
    reportWrongKind(file, value, context);
    return;
  }
  if (file.folder === "hooks") readHook(file, value, context);
  else if (file.folder === "filters") context.project.filters.push({ file: file.file });
  else if (file.folder === "api") readRoute(file, outcome.exports, context);
  else if (file.folder === "tools") readTool(file, value, context);
  else if (isObject(value)) readNamed({ file: file.file, kind: folderKinds[file.folder] }, value, context);
}

/** Whether a value is of the folder's kind, or an object without a clear kind, which probably lacks a field of this kind. */
function isProbablyOf(value: unknown, folder: DefinitionFolder): boolean {
  const kind = exportKindOf(value);
  if (folder === "api") return kind === "function" || kind === "thread endpoint";
  if (folder === "tools" || folder === "hooks" || folder === "filters") return folderOf(kind) === folder;
  return folderOf(kind) === folder || (kind === "unknown" && isObject(value) && !Array.isArray(value));
}

/** Whether the definitions of a folder have names that others refer to. */
function hasNames(folder: DefinitionFolder): folder is keyof typeof folderKinds {
  return folder in folderKinds;
}

function markBroken(file: ProjectFile, { project, trees }: ReaderContext): void {
  if (!hasNames(file.folder)) return;
  const name = file.folder === "tools" ? baseName(file) : trees.literalName(file.file);
  project.broken.push({ kind: folderKinds[file.folder], ...(name === undefined ? {} : { name }) });
}

function reportThrown(
  file: ProjectFile,
  outcome: Extract<ModuleOutcome, { type: "threw" }>,
  { findings, trees }: ReaderContext,
): void {
  const at = outcome.at ?? { file: file.file, line: 1, column: 1 };
  const source = trees.lineText(at.file, at.line) ?? "";
  findings.error({
    code: "evaluation",
    file: at.file,
    position: { line: at.line, column: at.column, source },
    message: `${outcome.message}, while the module was loaded`,
    ...(at.file === file.file ? {} : { notes: [`loaded by ${file.file}`] }),
  });
}

function reportWrongKind(file: ProjectFile, value: unknown, { project, findings }: ReaderContext): void {
  const kind = exportKindOf(value);
  const home = folderOf(kind);
  const name = isObject(value) && typeof value.name === "string" ? value.name : undefined;
  if (home !== undefined && hasNames(home)) {
    const known = kind === "tool" ? baseName(file) : name;
    project.broken.push({ kind: folderKinds[home], ...(known === undefined ? {} : { name: known }) });
  }
  if (hasNames(file.folder)) {
    project.broken.push({ kind: folderKinds[file.folder], ...(name === undefined ? {} : { name }) });
  }
  if (file.folder === "tools" && isForeignTool(value)) {
    const name = baseName(file);
    project.broken.push({ kind: "tool", name });
    findings.error({
      code: "wrong_kind",
      file: file.file,
      path: [],
      message: "the default export is a tool of another package, such as the AI SDK, and not made by defineTool",
      suggestion: "export default defineTool(description, inputSchema, async (state, args) => …)",
    });
    return;
  }
  if (file.folder === "providers" && isObject(value) && typeof value["doStream"] === "function") {
    findings.error({
      code: "wrong_kind",
      file: file.file,
      path: [],
      message: "the default export is a model of the AI SDK, and not a provider that returns models",
      suggestion: "export default defineProvider({ name: …, model: (modelId, { env, fetch }) => … })",
    });
    return;
  }
  findings.error({
    code: "wrong_kind",
    file: file.file,
    path: [],
    message:
      home === undefined
        ? `the default export was not made by ${folderMakers[file.folder]}`
        : `the default export is ${withArticle(kind)}, but this folder holds what ${folderMakers[file.folder]} makes`,
    suggestion: home === undefined ? undefined : `agents/${home}/`,
  });
}

/** Whether a value has the members of a tool of the AI SDK, Mastra or LangChain. */
function isForeignTool(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  return (
    ["inputSchema", "parameters", "schema"].some((key) => key in value) &&
    ("execute" in value || "invoke" in value || "description" in value)
  );
}

function readTool(file: ProjectFile, value: unknown, context: ReaderContext): void {
  const name = baseName(file);
  if (!isToolName(name)) {
    context.findings.error({
      code: "bad_file_name",
      file: file.file,
      message: `"${name}" cannot be a tool's name: letters, digits, _ and - only, a letter or _ first, at most 64`,
      suggestion: toolNameFrom(name),
    });
    context.project.broken.push({ kind: "tool", name });
    return;
  }
  if (!checkToolParts(file.file, value, context)) {
    context.project.broken.push({ kind: "tool", name });
    return;
  }
  // The shape was checked before, but zod cannot express the type of the tuple.
  context.project.tools.push({ name, file: file.file, value: value as AnyToolDefinition });
}

function toolNameFrom(name: string): string | undefined {
  const repaired = name
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^(?=[0-9-])/, "_")
    .slice(0, 64);
  return isToolName(repaired) ? repaired : undefined;
}

function readNamed(
  { file, kind }: { file: string; kind: NamedKind },
  value: Record<string, unknown>,
  { project, findings }: ReaderContext,
): void {
  const name = typeof value.name === "string" ? value.name : undefined;
  if (kind === "MCP server" && reportStdio(file, value, findings)) {
    project.broken.push({ kind, ...(name === undefined ? {} : { name }) });
    return;
  }
  const usable = checkShape({ kind, file, value, base: [] }, findings) && checkSource({ kind, file, value }, findings);
  if (name !== undefined && !isDefinitionName(name)) {
    findings.error({
      code: "bad_name",
      file,
      path: ["name"],
      message: `${JSON.stringify(name)} cannot be a name: at most 128 printable characters, no spaces at its ends`,
    });
  }
  if (!usable || name === undefined || !isDefinitionName(name)) {
    const { provider } = value;
    const named = kind === "model" && typeof provider === "string" ? { provider, file } : {};
    project.broken.push({ kind, ...(name === undefined ? {} : { name }), ...named });
    return;
  }
  // `checkShape` has verified the type of the value.
  if (kind === "model") project.models.push({ name, file, value: value as unknown as AnyModelDefinition });
  if (kind === "provider") project.providers.push({ name, file, value: value as unknown as ProviderDefinition });
  if (kind === "prompt") {
    const prompt = value as unknown as AnyPromptDefinition;
    if (prompt.requiredSchema !== undefined) {
      checkObjectSchema({ file, schema: prompt.requiredSchema, base: ["requiredSchema"], what: "argument" }, findings);
    }
    if (prompt.structure !== undefined) {
      checkObjectSchema({ file, schema: prompt.structure, base: ["structure"], what: "answer" }, findings);
    }
    project.prompts.push({ name, file, value: prompt });
  }
  if (kind === "strategy") project.strategies.push({ name, file, value: value as unknown as AnyStrategyDefinition });
  if (kind === "MCP server") {
    project.sources.mcp.push({ name, file, value: value as unknown as AnyMcpServerDefinition });
  }
  if (kind === "OpenAPI document") {
    project.sources.openapi.push({ name, file, value: value as unknown as AnyOpenApiDefinition });
  }
  if (kind === "agent") project.agents.push({ name, file, value: value as unknown as AnyAgentDefinition });
}
