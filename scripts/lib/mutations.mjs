// Finds the places of a source text where one small change makes the program wrong, applies such a change, and marks the places so that a run
// reports which of them it reached.

import { parseSync } from "oxc-parser";

/**
 * @typedef {object} Mutation
 * @property {string} kind
 * @property {number} line
 * @property {number} start the changed span
 * @property {number} end
 * @property {string} replacement
 * @property {string[]} functions the names of the functions around it
 * @property {[at: number, of: "statement" | "expression" | "body", end: number]} mark where a run reaches the place
 */

/** A type is not executed. Assertions of types contain an expression. */
const executed = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression", "TSParameterProperty"]);

/** The order of their arguments changes no result. */
const commutative = /^Math\.(?:max|min)$/;

/** The name of a function, also of one that is the value of a variable, a member or a method. */
function nameOf(node, parent) {
  if (node.type === "FunctionDeclaration") return node.id?.name;
  if (!/Function/.test(node.type)) return undefined;
  return parent.key?.name ?? parent.id?.name ?? node.id?.name;
}

/**
 * The mutations of a text: a negated condition, a call that is left out, two arguments that are swapped, a number that is one too high, and a
 * function that returns at its start.
 *
 * @param {string} text
 * @param {string} file
 * @returns {Mutation[]}
 */
export function mutationsOf(text, file) {
  /** @type {Mutation[]} */
  const found = [];
  /** @type {string[]} */
  const functions = [];
  const source = ({ start, end }) => text.slice(start, end);
  const add = (kind, { start, end }, replacement, [node, of]) => {
    const line = text.slice(0, start).split("\n").length;
    found.push({ kind, line, start, end, replacement, functions: [...functions], mark: [node.start, of, node.end] });
  };

  /** @type {Record<string, (node: any, parent: any) => void>} */
  const visitors = {
    IfStatement: ({ test }) => add("negate", test, `!(${source(test)})`, [test, "expression"]),
    ConditionalExpression: ({ test }) => add("negate", test, `!(${source(test)})`, [test, "expression"]),
    WhileStatement: ({ test }) => add("negate", test, `!(${source(test)})`, [test, "expression"]),
    ExpressionStatement: (node) => {
      let { expression } = node;
      while (["AwaitExpression", "ChainExpression", "UnaryExpression"].includes(expression.type)) {
        expression = expression.argument ?? expression.expression;
      }
      if (expression.type === "CallExpression" && expression.callee.type !== "Super")
        add("drop", node, ";", [node, "statement"]);
    },
    CallExpression: (node) => swap(node),
    NewExpression: (node) => swap(node),
    Literal: (node, parent) => {
      if (typeof node.value !== "number" || (parent.key === node && !parent.computed)) return;
      add("add 1", node, `(${source(node)} + 1)`, [node, "expression"]);
    },
    FunctionDeclaration: (node) => leave(node.body),
    FunctionExpression: (node, parent) => {
      if (parent.kind !== "constructor") leave(node.body);
    },
    ArrowFunctionExpression: ({ body }) => {
      if (body.type === "BlockStatement") leave(body);
      else add("return", body, "(undefined)", [body, "expression"]);
    },
  };

  function swap({ callee, arguments: args }) {
    if (commutative.test(source(callee))) return;
    args.slice(1).forEach((second, at) => {
      const first = args[at];
      if (first.type === "SpreadElement" || second.type === "SpreadElement" || source(first) === source(second)) return;
      const between = text.slice(first.end, second.start);
      const swapped = `${source(second)}${between}${source(first)}`;
      add("swap", { start: first.start, end: second.end }, swapped, [first, "expression"]);
    });
  }

  function leave(body) {
    if (!body?.body.length) return;
    const start = body.start + 1;
    add("return", { start, end: start }, " return;", [{ start, end: start }, "body"]);
  }

  function visit(node, parent) {
    if (Array.isArray(node)) for (const one of node) visit(one, parent);
    if (typeof node?.type !== "string" || (node.type.startsWith("TS") && !executed.has(node.type))) return;
    const name = nameOf(node, parent);
    if (name !== undefined) functions.push(name);
    visitors[node.type]?.(node, parent);
    for (const child of Object.values(node)) if (typeof child === "object") visit(child, node);
    if (name !== undefined) functions.pop();
  }

  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  visit(program, {});
  return found;
}

/**
 * @param {string} text
 * @param {Mutation} mutation
 */
export const mutated = (text, { start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end);

/**
 * What a mutation changes, in one line.
 *
 * @param {string} text
 * @param {Mutation} mutation
 */
export function describeMutation(text, { kind, start, end }) {
  const source = kind === "return" ? text.slice(text.lastIndexOf("\n", start - 1) + 1, end) : text.slice(start, end);
  const line = source.replaceAll(/\s+/g, " ").trim();
  return `${kind}: ${line.length > 70 ? `${line.slice(0, 70)}…` : line}`;
}

const reached = "reached place ";

/**
 * The text, which reports the number of each mutation when its place is executed for the first time: in Node as a line of a file, because
 * tests may compare what is printed, and in the Workers runtime on the console.
 *
 * @param {string} text
 * @param {Mutation[]} mutations
 * @param {string} report the path of the file
 */
export function withMarks(text, mutations, report) {
  const inserted = mutations.flatMap(({ mark: [start, of, end] }, number) => {
    const call = `__reached(${number})`;
    const length = end - start;
    if (of === "body") return [{ at: start, order: 0, text: `${call};` }];
    const [before, after] = of === "expression" ? [`(${call}, `, ")"] : [`{ ${call}; `, " }"];
    // At one position the marks of longer spans begin first and end last.
    return [
      { at: start, order: 1 / length, text: before },
      { at: end, order: -1 / length, text: after },
    ];
  });
  inserted.sort((one, other) => one.at - other.at || one.order - other.order);
  let [result, from] = ["", 0];
  for (const { at, text: mark } of inserted) {
    result += text.slice(from, at) + mark;
    from = at;
  }
  return `${result}${text.slice(from)}
function __reached(number) {
  const seen = (__reached.seen ??= {});
  if (seen[number]) return;
  seen[number] = true;
  const line = "\\n${reached}" + number + "\\n";
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") console.log(line);
  else process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(report)}, line);
}
`;
}

/**
 * The numbers that a run of marked code reported.
 *
 * @param {string} output of the console and of the file
 * @returns {Set<number>}
 */
export const reachedPlaces = (output) =>
  new Set([...output.matchAll(new RegExp(`${reached}(\\d+)`, "g"))].map(([, number]) => Number(number)));
