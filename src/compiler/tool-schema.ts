// Checks that a schema of arguments uses only the zod types that function calling can express, which `spec/tool-arguments.ts` lists.

import { listOf } from "#lib/json-value.ts";

import { isObject } from "./definition-kind.ts";

/** A part of a schema that is not allowed. `path` lists the properties that lead to it. */
export interface SchemaProblem {
  path: string[];
  message: string;
  /** Set if some providers accept this part. */
  severity?: "warning";
}

const deepest = 7;

// The names of arguments that Anthropic accepts.
const argumentName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Finds the parts of a schema that are not allowed; an empty list if there are none. */
export function findSchemaProblems(
  schema: unknown,
  what: "argument" | "result" | "answer" = "argument",
): SchemaProblem[] {
  const type = typeOf(schema);
  if (type === "object") {
    return propertiesOf(schema).flatMap(([key, inner]) => [...oddName([], key), ...check(inner, [key], [schema])]);
  }
  const seen = type === undefined ? kindWord(schema) : `z.${type}()`;
  return [{ path: [], message: `${what}s must be a z.object({ … }), not ${seen}` }];
}

/** `parents` are the schemas that contain this one; their number is its depth. */
function check(node: unknown, path: string[], parents: readonly unknown[]): SchemaProblem[] {
  const type = typeOf(node);
  const problem = (message: string): SchemaProblem[] => [{ path, message }];
  if (type === undefined) return problem(`${kindWord(node)} is no zod 4 schema`);
  if (parents.includes(node)) return problem("a schema that contains itself is not allowed");
  const inner = (child: unknown, key?: string): SchemaProblem[] =>
    parents.length > deepest
      ? problem(`nested more than ${deepest} levels deep`)
      : check(child, key === undefined ? path : [...path, key], [...parents, node]);
  const definition = definitionOf(node);
  switch (type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return [];
    case "literal":
      return listOf(definition.values).every(isPlain)
        ? []
        : problem("a literal must be a string, a number, a boolean or null");
    case "enum":
      return isObject(definition.entries) &&
        Object.values(definition.entries).every((value) => typeof value === "string")
        ? []
        : problem("an enum may hold only strings");
    case "optional":
    case "nullable":
    case "default":
      return inner(definition.innerType);
    case "array":
      return inner(definition.element, "[]");
    case "object":
      return propertiesOf(node).flatMap(([key, child]) => [...oddName(path, key), ...inner(child, key)]);
    case "record":
      return typeOf(definition.keyType) === "string"
        ? inner(definition.valueType, "{}")
        : problem("a record's keys must be z.string()");
    case "union":
      return listOf(definition.options).flatMap((option) => inner(option));
    default:
      return problem(
        `z.${type}() is not allowed in a tool's schema${replacements[type] === undefined ? "" : `: ${replacements[type]}`}`,
      );
  }
}

/** What to write in place of a type that JSON or function calling does not have. */
const replacements: Readonly<Record<string, string>> = {
  date: "use z.string() or z.iso.datetime(), and make the Date in the tool",
  bigint: "use z.number().int(), or z.string() for numbers above 2^53",
  any: "use the type that the model has to send, or z.string() with JSON in it",
  unknown: "use the type that the model has to send, or z.string() with JSON in it",
  map: "use z.record(z.string(), …)",
  set: "use z.array(…)",
  tuple: "use z.object({ … }) with a name for each element, or z.array(…)",
  intersection: "use one z.object({ … }) with all fields, such as first.extend(second.shape)",
  transform: "use the type before the change, and change the value in the tool",
  pipe: "use the type before the change, and change the value in the tool",
  undefined: "leave the field out, or make it .optional()",
  void: "leave the field out, or make it .optional()",
  nan: "use z.number()",
  file: "use z.string() with the path of a file of the thread",
  lazy: "write the schema without a reference to itself, at most 7 levels deep",
  readonly: "use the type without .readonly()",
  catch: "use the type with .default() or .optional()",
};

function oddName(path: readonly string[], key: string): SchemaProblem[] {
  if (argumentName.test(key)) return [];
  const message = "Anthropic takes only letters, digits, _, . and - in an argument's name, at most 64";
  return [{ path: [...path, key], message, severity: "warning" }];
}

function isPlain(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function definitionOf(node: unknown): Record<string, unknown> {
  const internals = isObject(node) ? node._zod : undefined;
  const definition = isObject(internals) ? internals.def : undefined;
  return isObject(definition) ? definition : {};
}

function typeOf(node: unknown): string | undefined {
  const { type } = definitionOf(node);
  return typeof type === "string" ? type : undefined;
}

function propertiesOf(node: unknown): [string, unknown][] {
  const { shape } = definitionOf(node);
  return isObject(shape) ? Object.entries(shape) : [];
}

function kindWord(value: unknown): string {
  if (isObject(value) && "_def" in value) return "a schema of an older zod";
  if (Array.isArray(value)) return "an array";
  return value === null ? "null" : `a value of type ${typeof value}`;
}
