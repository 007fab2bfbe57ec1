// The tools of MCP servers and OpenAPI documents in tests. A source has the tools of the thread's script. Without a script it is off, as a
// server that cannot be reached: its prompts start, and its tools are not offered. An OpenAPI document that is part of the project describes
// the scripted tools. Invariant: no source sends a request.

import type { JsonObject } from "#contract/json.ts";
import type { AuthorizationModule } from "#core/ports/authorization-port.ts";
import type { DefinedTool, DefinedTools, DefinedToolsModule, ToolsContext } from "#core/ports/tool-source-port.ts";
import { returnedResult } from "#core/tools/returned-value.ts";
import { closestWord } from "#lib/edit-distance.ts";
import type {
  AnyMcpServerDefinition,
  AnyOpenApiDefinition,
  Registry,
  ToolSourceDefinition,
  ToolSourceEntry,
} from "#spec/index.ts";

import { scriptOf } from "./script.ts";
import type { Script } from "./script.ts";
import { SourceTool } from "./scripted-source.ts";
import type { Sources, SourceTools } from "./scripted-source.ts";

let known: readonly ToolSourceDefinition[] = [];

/** The same sources for tests. */
export function testSources(entries: Registry["toolSources"] = []): ToolSourceEntry[] {
  known = entries.flatMap(({ definitions }) => definitions);
  return entries.map((entry) => ({ ...entry, load: () => loadModule(entry) }));
}

/** Throws an error for a name in `sources` that the project does not have, or that no tool can have. */
export function checkSources(sources: Sources): void {
  for (const [name, tools] of Object.entries(sources)) {
    const source = known.find((each) => each.name === name);
    if (source === undefined) {
      const names = known.map((each) => each.name);
      const has = names.length === 0 ? "no MCP servers and no OpenAPI documents" : names.join(", ");
      throw new TypeError(
        `\`sources\` has "${name}", which is no source.${meant(name, names)} The project has ${has}.`,
      );
    }
    for (const tool of Object.keys(tools)) {
      const start = `${source.prefix}__`;
      if (tool.startsWith(start))
        throw new TypeError(
          `\`sources.${name}\` has "${tool}". Write it without the prefix: "${tool.slice(start.length)}".`,
        );
      if (!/^[\w-]{1,64}$/.test(start + tool))
        throw new TypeError(
          `\`sources.${name}\` has "${tool}". With its prefix a name has at most 64 letters, digits, "_" and "-".`,
        );
    }
  }
}

/** The error for a scripted call of a tool that its source does not offer in the test; null for every other call. */
export function missingToolError(script: Script, name: string): string | null {
  const source = known.find(({ prefix }) => name.startsWith(`${prefix}__`));
  if (source === undefined) return null;
  const tools = script.toolsOf(source.name);
  const tool = name.slice(source.prefix.length + 2);
  if (tools === undefined) return `The script calls "${name}". ${offMessage(source.name, tool)}`;
  if (Object.hasOwn(tools, tool)) return null;
  const names = Object.keys(tools);
  return `The script calls "${name}", and \`sources.${source.name}\` has no tool "${tool}".${meant(tool, names)} It has ${names.join(", ") || "none"}.`;
}

function meant(word: string, candidates: readonly string[]): string {
  const closest = closestWord(word, candidates);
  return closest === undefined ? "" : ` Did you mean "${closest}"?`;
}

function offMessage(source: string, tool = "tool"): string {
  return `The source "${source}" is off in tests. Script its tools: startThread(…, { sources: { ${source}: { ${tool}: … } } }).`;
}

async function loadModule(entry: ToolSourceEntry): Promise<DefinedToolsModule> {
  // Reads the documents of the project. The module for MCP servers is not needed, and has many packages.
  const documents = entry.kind === "openapi" ? ((await entry.load()) as DefinedToolsModule) : undefined;
  return {
    openTools(definition, context) {
      const value = definition as AnyMcpServerDefinition | AnyOpenApiDefinition;
      const script = scriptOf(context.threadId);
      const tools = script?.toolsOf(value.name);
      if (script === undefined || tools === undefined)
        return listOnly(() => Promise.reject(new Error(offMessage(value.name))));
      return listOnly(() => scriptedTools({ script, tools, kind: entry.kind, value, context, documents }));
    },
    ...(entry.kind === "openapi" ? {} : { authorization: noAuthorization }),
  };
}

/** Tools that have no connection. */
const listOnly = (tools: () => Promise<readonly DefinedTool[]>): DefinedTools => ({
  tools,
  facts: () => ({ host: null, version: null }),
  close: () => Promise.resolve(),
});

/** Tests request no tokens. */
const refused = () => Promise.resolve({ ok: false as const, problem: "MCP servers are off in tests." });

const noAuthorization: AuthorizationModule = {
  begin: refused,
  complete: refused,
  isAuthorized: refused,
  remove: refused,
  place: () => Promise.resolve(null),
};

interface ScriptedParts {
  script: Script;
  tools: SourceTools;
  kind: ToolSourceEntry["kind"];
  value: AnyMcpServerDefinition | AnyOpenApiDefinition;
  context: ToolsContext;
  documents: DefinedToolsModule | undefined;
}

async function scriptedTools(parts: ScriptedParts): Promise<DefinedTool[]> {
  const { tools, kind, value } = parts;
  const documented = kind === "openapi" ? await documentedTools(parts, value as AnyOpenApiDefinition) : null;
  if (documented === null && kind === "mcp") checkNames(parts, (value as AnyMcpServerDefinition).tools);
  return Object.entries(tools).map(([tool, given]) => {
    const { options, result } = given instanceof SourceTool ? given : { options: {}, result: given };
    return scriptedTool({ ...parts, tool, options, result, documented: documented?.get(tool) });
  });
}

/** The tools of a document that is part of the project, by their names without the prefix. Null for a document from an address. */
async function documentedTools(
  parts: ScriptedParts,
  value: AnyOpenApiDefinition,
): Promise<Map<string, DefinedTool> | null> {
  const { tools: scripted, context, documents } = parts;
  const { document, name, prefix = name } = value;
  const isAddress = typeof document !== "string" && !("openapi" in document) && "url" in document;
  if (documents === undefined || isAddress) return null;
  const opened = documents.openTools(value, context);
  const listed = new Map((await opened.tools()).map((tool) => [tool.name.slice(prefix.length + 2), tool]));
  const found = new Map<string, DefinedTool>();
  for (const tool of Object.keys(scripted)) {
    const each = listed.get(tool) ?? (await opened.tool?.(`${prefix}__${tool}`));
    if (each !== undefined && each !== null) found.set(tool, each);
  }
  checkNames(parts, [...listed.keys(), ...found.keys()]);
  return found;
}

/** The tools that the definition itself adds to those of a server. */
const features = ["list_resources", "read_resource", "list_prompts", "get_prompt"];

/** Fails the turn if a scripted tool is none of those that the definition offers. */
function checkNames({ script, tools, value: { name } }: ScriptedParts, offered: readonly string[] | undefined): void {
  if (offered === undefined) return;
  for (const tool of Object.keys(tools)) {
    if (offered.includes(tool) || features.includes(tool)) continue;
    const message = `\`sources.${name}\` has "${tool}", which the definition does not offer.${meant(tool, offered)} It offers ${offered.slice(0, 20).join(", ")}.`;
    script.fail(message);
    throw new TypeError(message);
  }
}

function scriptedTool({
  script,
  tool,
  options,
  result,
  documented,
  ...parts
}: ScriptedParts & {
  tool: string;
  options: SourceTool["options"];
  result: SourceTool["result"];
  documented: DefinedTool | undefined;
}): DefinedTool {
  const { name, prefix = name, timeoutMs = 60_000 } = parts.value;
  const { description, parameters, needsApproval } = options;
  const full = `${prefix}__${tool}`;
  const rule =
    needsApproval === undefined
      ? (documented?.needsApproval ?? (documented === undefined ? approvalOf(tool, { script, ...parts }) : undefined))
      : () => needsApproval;
  // A schema of the script replaces that of the document.
  const {
    needsApproval: _,
    wholeParameters,
    ...base
  } = documented ??
  ({
    name: full,
    description: "",
    parameters: { type: "object" },
    idempotent: false,
    timeoutMs,
  } as Omit<DefinedTool, "call">);
  return {
    ...base,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? (wholeParameters === undefined ? {} : { wholeParameters }) : { parameters }),
    ...(rule === undefined ? {} : { needsApproval: rule }),
    call: (args) =>
      script.during(`the scripted tool "${full}"`, async () =>
        returnedResult(typeof result === "function" ? await result(structuredClone(args)) : result),
      ),
  };
}

/** The rule of the definition for approvals, for a tool that no document describes. */
function approvalOf(tool: string, { script, kind, value, context }: ScriptedParts): DefinedTool["needsApproval"] {
  const { needsApproval: rule = false, name } = value;
  if (typeof rule !== "function") {
    const isNeeded = typeof rule === "boolean" ? rule : rule.includes(tool);
    return isNeeded ? () => true : undefined;
  }
  const { env, userId, threadId } = context;
  if (kind === "mcp") {
    const { needsApproval } = value as AnyMcpServerDefinition;
    if (typeof needsApproval === "function")
      return (args: JsonObject) => needsApproval({ tool, args }, { env, userId, threadId });
  }
  return () => {
    const message = `The approval rule of "${name}" is a function of the operation, which only the document at its address describes. Script the tool as sourceTool({ needsApproval: true }, …) or with false.`;
    script.fail(message);
    throw new TypeError(message);
  };
}
