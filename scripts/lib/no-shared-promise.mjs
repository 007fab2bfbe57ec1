// The lint rule against promises that requests share. On Workers a promise may never settle after the request that made it has
// ended, so another request that awaits it would wait for ever. The rule reports promises in variables of a module, in static fields,
// in collections there, and in variables that a function shares with the functions that it returns. Code keeps the settled value
// instead.
//
// Contract: reads syntax, of the file and of the files of ours that it imports. It does not follow a promise through a parameter.

import { readFileSync } from "node:fs";
import path from "node:path";

import { parseSync } from "oxc-parser";

const message =
  "Requests would share this promise, and one of a request that has ended never settles: keep what came of it instead.";

const promiseTypes = new Set(["Promise", "PromiseLike", "PromiseWithResolvers", "Deferred"]);
const promiseMethods = new Set(["then", "catch", "finally"]);
const promiseFunctions = new Set(["fetch", "deferred"]);
const addingMethods = new Set(["set", "add", "push", "unshift", "splice"]);

const isFunction = (node) => /Function/.test(node.type) && !node.type.startsWith("TS");

/** Types of functions: their parameters and results are not stored values. */
const isSignature = (node) =>
  /^TS(FunctionType|ConstructorType|MethodSignature|CallSignature|TypeQuery)/.test(node.type) ||
  (node.type === "TSIndexedAccessType" && ["resolve", "reject"].includes(node.indexType.literal?.value));

function* childrenOf(node) {
  for (const [key, value] of Object.entries(node)) {
    if (key === "parent") continue;
    for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === "string") yield child;
  }
}

function* descendants(node, isClosed = (_node) => false) {
  yield node;
  if (!isClosed(node)) for (const child of childrenOf(node)) yield* descendants(child, isClosed);
}

const declarationOf = (statement) =>
  (statement.type.startsWith("Export") ? statement.declaration : statement) ?? { type: "None" };

/** The types, functions and imports of a file, by name. */
class FileNames {
  /** Nodes of interfaces and type aliases. */
  #types = new Map();
  /** Nodes of functions. */
  #functions = new Map();
  /** Where an imported name is from: the file, and its name there. */
  #imports = new Map();
  #file;
  #root;

  constructor(program, file, root) {
    [this.#file, this.#root] = [file, root];
    for (const statement of program.body) {
      if (statement.type === "ImportDeclaration") this.#import(statement);
      const declaration = declarationOf(statement);
      if (/^TS(Interface|TypeAlias)Declaration$/.test(declaration.type)) {
        this.#types.set(declaration.id.name, declaration);
      }
      if (isFunction(declaration) && declaration.id) this.#functions.set(declaration.id.name, declaration);
      for (const { id, init } of declaration.declarations ?? []) {
        if (init && isFunction(init)) this.#functions.set(id.name, init);
      }
    }
  }

  #import({ source, specifiers }) {
    const file = fileOf(source.value, this.#file, this.#root);
    for (const { local, imported } of file === null ? [] : specifiers) {
      if (imported) this.#imports.set(local.name, { file, name: imported.name });
    }
  }

  /** Whether a type holds a promise. `seen` has the types that were checked, because types may refer to each other. */
  holdsPromise(type, seen = new Set()) {
    for (const node of descendants(type, isSignature)) {
      if (node.type !== "TSTypeReference" && node.type !== "TSInterfaceHeritage") continue;
      const name = (node.typeName ?? node.expression)?.name;
      if (promiseTypes.has(name) || this.namedType(name, seen)) return true;
    }
    return false;
  }

  /** The same for a type by its name. */
  namedType(name, seen) {
    const key = `${this.#file} ${name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const own = this.#types.get(name);
    if (own !== undefined) return this.holdsPromise(own, seen);
    const from = this.#imports.get(name);
    return from !== undefined && (namesOf(from.file, this.#root)?.namedType(from.name, seen) ?? false);
  }

  /** Whether a function of this name returns a promise. */
  givesPromise(name, seen = new Set()) {
    const key = `${this.#file} ${name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const own = this.#functions.get(name);
    if (own !== undefined) return own.async || (own.returnType ? this.holdsPromise(own.returnType) : false);
    const from = this.#imports.get(name);
    if (from === undefined) return promiseFunctions.has(name);
    return namesOf(from.file, this.#root)?.givesPromise(from.name, seen) ?? false;
  }
}

/** The project's file that an import specifier names; null for any other specifier. */
function fileOf(specifier, from, root) {
  if (specifier.startsWith(".")) return path.resolve(path.dirname(from), specifier);
  return /^#(?!generated\/)/.test(specifier) ? path.join(root, "src", specifier.slice(1)) : null;
}

const parsed = new Map();

function namesOf(file, root) {
  if (!parsed.has(file)) parsed.set(file, parse(file, root));
  return parsed.get(file);
}

function parse(file, root) {
  try {
    return new FileNames(parseSync(file, readFileSync(file, "utf8")).program, file, root);
  } catch {
    // A missing or unreadable file is reported by other checks.
    return null;
  }
}

/** Checks one file. */
class Look {
  #names;
  /** Names of the module's variables and of all classes. Requests share what is assigned or added to them. */
  #shared = new Set();
  /** Variables of any scope that hold a promise. */
  #promises = new Set();
  #report;

  constructor(program, names, report) {
    [this.#names, this.#report] = [names, report];
    for (const statement of program.body) {
      const declaration = declarationOf(statement);
      for (const { id } of declaration.declarations ?? []) for (const name of namesIn(id)) this.#shared.add(name);
    }
    for (const node of descendants(program)) {
      if (node.type === "ClassDeclaration" && node.id) this.#shared.add(node.id.name);
      if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && this.#declaresPromise(node)) {
        this.#promises.add(node.id.name);
      }
    }
    for (const statement of program.body) this.#moduleStatement(declarationOf(statement));
    for (const node of descendants(program)) this.#anywhere(node);
  }

  #declaresPromise({ id, init }) {
    const { typeAnnotation } = id;
    return typeAnnotation ? this.#names.holdsPromise(typeAnnotation) : init !== null && this.#isPromise(init);
  }

  #moduleStatement(declaration) {
    for (const declarator of declaration.declarations ?? []) {
      const type = declarator.id.typeAnnotation;
      const holds = type ? this.#names.holdsPromise(type) : false;
      if (holds || (declarator.init && this.#isPromise(declarator.init))) this.#report(declarator);
    }
  }

  #anywhere(node) {
    const isStatic = node.static === true && /^(PropertyDefinition|AccessorProperty)$/.test(node.type);
    if (isStatic) {
      const holds = node.typeAnnotation ? this.#names.holdsPromise(node.typeAnnotation) : false;
      if (holds || (node.value && this.#isPromise(node.value))) this.#report(node);
    }
    if (node.type === "AssignmentExpression" && this.#isShared(node.left) && this.#isPromise(node.right)) {
      this.#report(node);
    }
    if (node.type === "CallExpression" && node.callee.type === "MemberExpression") {
      const { object, property } = node.callee;
      const adds = addingMethods.has(property.name) && this.#isShared(object);
      if (adds && node.arguments.some((argument) => this.#isPromise(argument))) this.#report(node);
    }
    if (node.type === "VariableDeclaration" && node.kind === "let") this.#closed(node);
  }

  /** Reports a variable that a function declares and an inner function assigns: it lives as long as the inner function. */
  #closed({ declarations, parent }) {
    for (const declarator of declarations) {
      const { id } = declarator;
      if (id.type !== "Identifier" || !this.#promises.has(id.name) || parent?.type !== "BlockStatement") continue;
      const inner = [...descendants(parent)].filter(isFunction);
      const assigns = (node) => node.type === "AssignmentExpression" && node.left.name === id.name;
      if (inner.some((each) => [...descendants(each)].some(assigns))) this.#report(declarator);
    }
  }

  #isShared(target) {
    let root = target;
    while (root.type === "MemberExpression") root = root.object;
    return root.type === "Identifier" && this.#shared.has(root.name);
  }

  /** Whether the value of an expression is a promise or holds one. */
  #isPromise(expression) {
    switch (expression.type) {
      case "NewExpression": {
        const { callee, typeArguments } = expression;
        return callee.name === "Promise" || (typeArguments ? this.#names.holdsPromise(typeArguments) : false);
      }
      case "ImportExpression":
        return true;
      case "Identifier":
        return this.#promises.has(expression.name);
      case "CallExpression":
        return this.#callsPromise(expression);
      case "ConditionalExpression":
        return this.#isPromise(expression.consequent) || this.#isPromise(expression.alternate);
      case "LogicalExpression":
        return this.#isPromise(expression.left) || this.#isPromise(expression.right);
      case "AssignmentExpression":
        return this.#isPromise(expression.right);
      case "SequenceExpression":
        return this.#isPromise(expression.expressions.at(-1));
      case "ArrayExpression":
        return expression.elements.some((element) => element !== null && this.#isPromise(element));
      case "ObjectExpression":
        return expression.properties.some((each) => each.type === "Property" && this.#isPromise(each.value));
      case "ParenthesizedExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "ChainExpression":
        return this.#isPromise(expression.expression);
      default:
        return false;
    }
  }

  #callsPromise({ callee, arguments: given }) {
    if (callee.type === "Identifier") return this.#names.givesPromise(callee.name);
    if (callee.type === "ParenthesizedExpression")
      return this.#callsPromise({ callee: callee.expression, arguments: given });
    if (isFunction(callee))
      return callee.async || (callee.returnType ? this.#names.holdsPromise(callee.returnType) : false);
    if (callee.type !== "MemberExpression" || callee.computed) return false;
    if (callee.object.name === "Promise") return true;
    // Schemas also have a method `catch`, which takes a value.
    return promiseMethods.has(callee.property.name) && given.some(mayBeFunction);
  }
}

const mayBeFunction = (node) =>
  isFunction(node) || node.type === "MemberExpression" || (node.type === "Identifier" && node.name !== "undefined");

/** The variables of a declarator, also if it destructures. */
function namesIn(pattern) {
  if (pattern.type === "Identifier") return [pattern.name];
  return [...childrenOf(pattern)].flatMap((child) =>
    child.type === "Property"
      ? namesIn(child.value)
      : /Identifier|Pattern|RestElement/.test(child.type)
        ? namesIn(child)
        : [],
  );
}

export const noSharedPromise = {
  meta: { type: "problem" },
  create(context) {
    return {
      Program(program) {
        const names = new FileNames(program, context.filename, context.cwd);
        new Look(program, names, (node) => context.report({ node, message }));
      },
    };
  },
};
