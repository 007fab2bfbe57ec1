// Checks of a tool's three elements, its arguments and its options.

import { isVisible } from "#lib/visible-text.ts";
import type { ToolCall } from "#spec/tool-call.ts";

import { isObject } from "./definition-kind.ts";
import type { Findings } from "./findings.ts";
import { checkShape } from "./shape-check.ts";
import type { DefinitionPath, SyntaxTrees } from "./syntax-tree.ts";
import { findSchemaProblems } from "./tool-schema.ts";

export interface ToolCheckContext {
  findings: Findings;
  trees: SyntaxTrees;
}

/** Checks a tool definition. Returns whether it can be used. */
export function checkToolParts(file: string, value: unknown, { findings, trees }: ToolCheckContext): boolean {
  const [description, schema, tool] = Array.isArray(value) ? (value as unknown[]) : [];
  const invalid = (index: number, message: string): false => {
    findings.error({ code: "invalid_field", file, path: [`argument:${index}`], message });
    return false;
  };
  if (typeof description !== "string" || !isVisible(description)) {
    return invalid(0, "a tool needs a description: it is what the model reads");
  }
  if (tool !== undefined && typeof tool !== "function") {
    return invalid(2, "the third argument of defineTool must be a function, or undefined for a remote tool");
  }
  if (schema === null && typeof tool === "function" && takesArguments(file, tool, trees)) {
    findings.error({
      code: "missing_schema",
      file,
      path: trees.has(file, ["argument:2"]) ? ["argument:2"] : ["argument:1"],
      message:
        "the tool's function takes arguments, but the tool has no schema, so it is called with state and call alone",
      suggestion: "defineTool(description, z.object({ … }), async (state, args, call) => …)",
    });
    return false;
  }
  if (schema !== null) checkObjectSchema({ file, schema, base: ["argument:1"], what: "argument" }, findings);
  const options = Reflect.get(Object(value), "options") as unknown;
  if (options === undefined) return true;
  if (!isObject(options)) return invalid(3, "the options of a tool must be an object");
  const { resultSchema } = options;
  if (resultSchema !== undefined) {
    const base = ["argument:3", "resultSchema"];
    if (tool !== undefined) {
      const message = "resultSchema is for tools that a client answers: what a function gives is its own affair";
      findings.error({ code: "invalid_field", file, path: base, message });
      return false;
    }
    checkObjectSchema({ file, schema: resultSchema, base, what: "result" }, findings);
  }
  return checkShape({ kind: "tool", file, value: options, base: ["argument:3"] }, findings);
}

const callMembers = Object.keys({ id: true, attempt: true, signal: true, progress: true } satisfies Record<
  keyof ToolCall,
  true
>);

/**
 * Whether a tool's function takes arguments. Without a schema it has two parameters, the state and the call. A third parameter, or an
 * unknown member of the call, is meant for arguments.
 */
function takesArguments(file: string, tool: object, trees: SyntaxTrees): boolean {
  const { length } = tool as { length: number };
  if (length > 2) return true;
  const taken = trees.parameterKeys(file, [["argument:2"], ["argument:1"]], 1);
  return taken.some((key) => !callMembers.includes(key));
}

interface CheckedSchema {
  file: string;
  schema: unknown;
  base: DefinitionPath;
  /** What the fields of the schema are. */
  what: "argument" | "result" | "answer";
}

/** Checks the schema of the arguments of a tool or prompt, or of the result of a client's tool. */
export function checkObjectSchema({ file, schema, base, what }: CheckedSchema, findings: Findings): void {
  for (const problem of findSchemaProblems(schema, what)) {
    // Only providers restrict names, and they are not sent the schema of results.
    if (what === "result" && problem.severity === "warning") continue;
    const where = problem.path.reduce(
      (text, key) => (/^[[{]/.test(key) ? text + key : text ? `${text}.${key}` : key),
      "",
    );
    const report = problem.severity === "warning" ? findings.warning : findings.error;
    report({
      code: "invalid_schema",
      file,
      path: [...base, ...problem.path.filter((key) => !/^(?:\[\]|\{\})$/.test(key))],
      message: where === "" ? problem.message : `${what} "${where}": ${problem.message}`,
    });
  }
}
