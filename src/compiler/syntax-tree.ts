// Finds the position of a part of a definition in its source file. A file is parsed only when a finding needs it. If the source does not
// spell out a path, because of a spread or a computed value, the result is the nearest part that it spells out.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseSync } from "oxc-parser";

import { isObject } from "./definition-kind.ts";

/** Property names and indexes from the definition's object. `argument:1` is the second argument of a call such as `defineTool(…)`. */
export type DefinitionPath = readonly (string | number)[];

/** A position in a file, counted from 1, with the text of its line. */
export interface SourcePosition {
  line: number;
  column: number;
  source: string;
}

interface SyntaxFault extends SourcePosition {
  message: string;
  /** The position of the bracket that is not closed. */
  opened?: SourcePosition;
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

interface Tree {
  text: string;
  body: Node[];
  /** Syntax errors. The parser may have continued after them. */
  faults: SyntaxFault[];
}

/** Reads the source files of a project. */
export interface SyntaxTrees {
  /** The position of a part of the default export; `key` points at the property's name instead of its value. */
  locate(file: string, path: DefinitionPath, target?: "key" | "value"): SourcePosition | undefined;
  /** Whether the file itself spells out a part of the default export. */
  has(file: string, path: DefinitionPath): boolean;
  /** The position of a named export. */
  locateExport(file: string, name: string): SourcePosition | undefined;
  /** The definition's `name`, if the file spells it out; undefined also if the file cannot be parsed. */
  literalName(file: string): string | undefined;
  /** Whether the file has a default export, and the function `define…` that makes it. */
  defaultExport(file: string): { isExported: boolean; maker: string | undefined };
  /** The names that a function destructures from one of its parameters. The function is the one at the first path that leads to one. */
  parameterKeys(file: string, paths: readonly DefinitionPath[], parameter: number): string[];
  /** The file's syntax errors, according to this parser. */
  syntaxErrors(file: string): SyntaxFault[];
  /** The text of a line, counted from 1. */
  lineText(file: string, line: number): string | undefined;
}

/** Creates the reader for a project. */
export function openSyntaxTrees(root: string): SyntaxTrees {
  const trees = new Map<string, Tree | null>();

  function treeOf(file: string): Tree | null {
    const known = trees.get(file);
    if (known !== undefined) return known;
    const tree = readTree(join(root, file));
    trees.set(file, tree);
    return tree;
  }

  return {
    locate(file, path, target = "value") {
      const tree = treeOf(file);
      const node = tree && walk(tree, path, target);
      return tree && node ? positionOf(tree.text, node.start) : undefined;
    },
    has(file, path) {
      const tree = treeOf(file);
      return tree !== null && walk(tree, path, "value") !== walk(tree, path.slice(0, -1), "value");
    },
    locateExport(file, name) {
      const tree = treeOf(file);
      const declaration = tree?.body.find((node) => declaredNames(node).includes(name));
      return tree && declaration ? positionOf(tree.text, declaration.start) : undefined;
    },
    literalName(file) {
      const tree = treeOf(file);
      const root = tree?.faults.length === 0 ? defaultExport(tree) : undefined;
      const name = tree && root ? step({ tree, key: "name", seen: new Set() }, root)?.value : undefined;
      return typeof name?.value === "string" ? name.value : undefined;
    },
    defaultExport(file) {
      const tree = treeOf(file);
      const exported = tree ? (defaultExport(tree) ?? exportedByName(tree)) : undefined;
      return { isExported: exported !== undefined, maker: tree && exported ? makerOf(tree, exported) : undefined };
    },
    parameterKeys(file, paths, parameter) {
      const tree = treeOf(file);
      const found = tree && paths.map((path) => functionAt(tree, path)).find((node) => node !== undefined);
      const pattern = nodesOf(isNode(found?.params) ? found.params.items : found?.params)[parameter];
      return pattern ? patternKeys(pattern) : [];
    },
    syntaxErrors: (file) => treeOf(file)?.faults ?? [],
    lineText(file, line) {
      return treeOf(file)?.text.split("\n")[line - 1]?.replace(/\r$/, "");
    },
  };
}

function readTree(path: string): Tree | null {
  try {
    const text = readFileSync(path, "utf8");
    const parsed = parseSync(path, text);
    const body = nodesOf(parsed.program.body);
    const faults = parsed.errors.map(({ message, labels }): SyntaxFault => {
      const opened = labels.find((label) => label.message === "Opened here");
      return {
        message: message.charAt(0).toLowerCase() + message.slice(1).replaceAll("`", '"'),
        ...positionOf(text, labels[0]?.start ?? 0),
        ...(opened ? { opened: positionOf(text, opened.start) } : {}),
      };
    });
    return { text, body, faults };
  } catch {
    // The file lies outside of the project or was deleted. Its findings have no position.
    return null;
  }
}

function positionOf(text: string, offset: number): SourcePosition {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  const end = text.indexOf("\n", offset);
  return {
    line: before.split("\n").length,
    column: offset - lineStart + 1,
    source: text.slice(lineStart, end === -1 ? undefined : end).replace(/\r$/, ""),
  };
}

function defaultExport(tree: Tree): Node | undefined {
  const statement = tree.body.find((node) => node.type === "ExportDefaultDeclaration");
  const value = statement?.declaration;
  return isNode(value) ? value : undefined;
}

/** The value of a default export in the form `export { name as default }`. */
function exportedByName(tree: Tree): Node | undefined {
  for (const { type, specifiers } of tree.body) {
    if (type !== "ExportNamedDeclaration") continue;
    const local = nodesOf(specifiers).find(({ exported }) => isNode(exported) && exported.name === "default")?.local;
    if (isNode(local)) return local;
  }
  return undefined;
}

/** The function `define…` whose call is a value. A constant stands for its value. */
function makerOf(tree: Tree, node: Node): string | undefined {
  if (node.type === "Identifier") {
    const value = variable(tree, String(node.name));
    return isNode(value) && value.type !== "Identifier" ? makerOf(tree, value) : undefined;
  }
  if (isNode(node.expression)) return makerOf(tree, node.expression);
  const { callee } = node;
  if (node.type !== "CallExpression" || !isNode(callee)) return undefined;
  const name = isNode(callee.property) ? callee.property.name : callee.name;
  return typeof name === "string" && /^define[A-Z]/.test(name) ? name : undefined;
}

function walk(tree: Tree, path: DefinitionPath, target: "key" | "value"): Node | undefined {
  let node = defaultExport(tree);
  for (const [index, key] of path.entries()) {
    const found = node && step({ tree, key, seen: new Set() }, node);
    if (!found) break;
    node = target === "key" && index === path.length - 1 ? found.key : found.value;
  }
  return node;
}

/** The function at a path, also if the path leads to a constant or a declaration. */
function functionAt(tree: Tree, path: DefinitionPath): Node | undefined {
  const node = walk(tree, path, "value");
  const named = node?.type === "Identifier" ? String(node.name) : undefined;
  const found = named === undefined ? node : (declaredFunction(tree, named) ?? variable(tree, named));
  return isNode(found) && /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(found.type)
    ? found
    : undefined;
}

function declaredFunction(tree: Tree, name: string): Node | undefined {
  return tree.body.find((node) => node.type === "FunctionDeclaration" && isNode(node.id) && node.id.name === name);
}

/** The keys of a pattern such as `{ a, b: c }`, with or without defaults. A rest element has no key. */
function patternKeys(pattern: Node): string[] {
  if (pattern.type === "AssignmentPattern" && isNode(pattern.left)) return patternKeys(pattern.left);
  if (pattern.type !== "ObjectPattern") return [];
  return nodesOf(pattern.properties).flatMap(({ key }) => (isNode(key) ? [String(key.name ?? key.value)] : []));
}

interface Found {
  key: Node;
  value: Node;
}

interface Step {
  tree: Tree;
  key: string | number;
  /** Nodes visited before, since a constant may refer to itself. */
  seen: Set<Node>;
}

/** One step of a path: into an object's property, an array's element, or an expression that only wraps another. */
function step(wanted: Step, node: Node): Found | undefined {
  const { tree, key, seen } = wanted;
  if (seen.has(node)) return undefined;
  seen.add(node);
  const into = (next: unknown): Found | undefined => (isNode(next) ? step(wanted, next) : undefined);
  switch (node.type) {
    case "ObjectExpression":
      return propertyOf(node, String(key));
    case "ArrayExpression": {
      const element = typeof key === "number" ? nodesOf(node.elements)[key] : undefined;
      return element && { key: element, value: element };
    }
    case "CallExpression": {
      const values = nodesOf(node.arguments);
      const argument = /^argument:(\d)$/.exec(String(key));
      if (argument && isNode(node.callee) && node.callee.name === "defineRemoteTool") {
        const [fields] = values;
        const field = ["description", "args"][Number(argument[1])];
        if (!fields) return undefined;
        return field === undefined ? { key: fields, value: fields } : step({ ...wanted, key: field }, fields);
      }
      if (argument) {
        const value = values[Number(argument[1])];
        return value && { key: value, value };
      }
      // In `z.object({…}).optional()` the shape is an argument of this call or of the call it is a method of.
      return values.map(into).find((found) => found !== undefined) ?? into(node.callee);
    }
    case "StaticMemberExpression":
    case "MemberExpression":
      return into(node.object);
    case "Identifier":
      return into(variable(tree, String(node.name)));
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "ParenthesizedExpression":
      return into(node.expression);
    default:
      return undefined;
  }
}

function propertyOf(node: Node, name: string): Found | undefined {
  for (const property of nodesOf(node.properties)) {
    const { key, value } = property;
    if (property.type !== "Property" || !isNode(key) || !isNode(value)) continue;
    if (key.name === name || key.value === name) return { key, value };
  }
  return undefined;
}

function variable(tree: Tree, name: string): unknown {
  for (const statement of tree.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    for (const declarator of isNode(declaration) ? nodesOf(declaration.declarations) : []) {
      if (isNode(declarator.id) && declarator.id.name === name) return declarator.init;
    }
  }
  return undefined;
}

function declaredNames(statement: Node): unknown[] {
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : undefined;
  if (!isNode(declaration)) return [];
  return nodesOf(declaration.declarations).map((declarator) => isNode(declarator.id) && declarator.id.name);
}

function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value.type === "string" && typeof value.start === "number";
}
