// Finds the exports of a TypeScript module, through its re-exports, as declarations in their files.

import { parseSync } from "oxc-parser";

/**
 * @typedef {{ type: string, start: number, end: number, [field: string]: any }} Node
 * @typedef {{ path: string, text: string, body: Node[], comments: { type: string, value: string, start: number, end: number }[] }} Source
 * @typedef {{ name: string, source: Source, nodes: Node[] }} Exported all declarations of one name: overloads have several
 * @typedef {(specifier: string, from: string) => string | undefined} Resolve path of a module; undefined for a package
 */

/**
 * @param {(path: string) => string} read
 * @param {Resolve} resolve
 */
export function moduleReader(read, resolve) {
  /** @type {Map<string, Source>} */
  const sources = new Map();

  /** @param {string} path */
  function sourceOf(path) {
    let source = sources.get(path);
    if (source === undefined) {
      const text = read(path);
      const { program, comments, errors } = parseSync(path, text);
      if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
      source = { path, text, body: /** @type {any} */ (program.body), comments };
      sources.set(path, source);
    }
    return source;
  }

  /**
   * Every export of a module by name, in the order in which the module lists them.
   *
   * @param {string} path
   * @returns {Exported[]}
   */
  function exportsOf(path) {
    const { body } = sourceOf(path);
    return body.flatMap((node) => {
      const from = node.source === null || node.source === undefined ? undefined : resolve(node.source.value, path);
      if (node.type === "ExportAllDeclaration") return from === undefined ? [] : exportsOf(from);
      if (node.type === "ExportDefaultDeclaration" && node["declaration"].type === "Identifier") {
        return found(node["declaration"].name, path).map((exported) => ({ ...exported, name: "default" }));
      }
      if (node.type !== "ExportNamedDeclaration") return [];
      if (node.declaration) return namesOf(node.declaration).flatMap((name) => found(name, path));
      return node.specifiers.flatMap((/** @type {Node} */ specifier) => {
        const name = specifier["exported"].name;
        return found(specifier["local"].name, from ?? path).map((exported) => ({ ...exported, name }));
      });
    });
  }

  /**
   * The declarations of a name that a module declares or passes on.
   *
   * @param {string} name
   * @param {string} path
   * @returns {Exported[]}
   */
  function found(name, path) {
    const source = sourceOf(path);
    const nodes = source.body.filter((node) => namesOf(node.declaration ?? node).includes(name));
    if (nodes.length > 0) return [{ name, source, nodes }];
    const imported = importOf(name, source);
    if (imported !== undefined) {
      const from = resolve(imported.from, path);
      return from === undefined ? [] : found(imported.name, from).map((exported) => ({ ...exported, name }));
    }
    return exportsOf(path).filter((exported) => exported.name === name);
  }

  return {
    /** @param {string} path */
    exportsOf: (path) => {
      /** @type {Map<string, Exported>} */
      const byName = new Map();
      for (const exported of exportsOf(path)) byName.set(exported.name, exported);
      return [...byName.values()];
    },
    found,
  };
}

/** @param {Node} node */
function namesOf(node) {
  if (node.type === "VariableDeclaration")
    return node["declarations"].map((/** @type {Node} */ declared) => declared["id"].name);
  const declared =
    /^(TS(DeclareFunction|InterfaceDeclaration|TypeAliasDeclaration)|FunctionDeclaration|ClassDeclaration)$/;
  return declared.test(node.type) ? [node["id"].name] : [];
}

/**
 * @param {string} name
 * @param {Source} source
 */
function importOf(name, { body }) {
  for (const node of body) {
    if (node.type !== "ImportDeclaration") continue;
    const specifier = node["specifiers"].find((/** @type {Node} */ one) => one["local"].name === name);
    if (specifier?.type === "ImportSpecifier") return { name: specifier.imported.name, from: node["source"].value };
  }
  return undefined;
}
