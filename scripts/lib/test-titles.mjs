// Checks that the titles of tests are whole sentences, as far as a program can. A title names its subject first, so that it makes sense
// without the `describe` that contains it.

import { parseSync } from "oxc-parser";

import { placeholder } from "./named-tests.mjs";

/**
 * @typedef {{ path: string, text: string }} SourceFile
 * @typedef {{ type: string, start: number, end: number } & Record<string, unknown>} Node
 */

const ids = /^[A-Z][A-Z0-9]*[A-Z]\d+(?:, [A-Z][A-Z0-9]*[A-Z]\d+)* /;

/** First words that leave the subject out: verbs that are no nouns, and pronouns. */
const subjectless = new Set(
  (
    "is are was were has have had can cannot could may might must will would should does do did it its they their so then " +
    "also and or but keeps gives gets goes takes tells says sends makes comes stays lets holds knows finds shows begins " +
    "waits loses sees needs asks refuses opens becomes returns rejects accepts warns allows carries follows serves prints " +
    "adds told lacks brings forgets learns joins throws ignores survives believes consents invents lowers"
  ).split(" "),
);

/**
 * @param {SourceFile[]} tests
 * @returns {string[]} a line for each title that is a fragment
 */
export function titleProblems(tests) {
  return tests.flatMap(({ path, text }) =>
    titlesIn(path, text).flatMap(({ title, start }) => {
      const problem = problemOf(title);
      return problem === null ? [] : [`${path}:${text.slice(0, start).split("\n").length}  "${title}" ${problem}`];
    }),
  );
}

/** What is wrong with a title; null if nothing is. */
function problemOf(/** @type {string} */ title) {
  const mentioned = ids.exec(title)?.[0] ?? "";
  const [first = "", ...others] = title.slice(mentioned.length).split(/\s+/);
  // The sentence of a title that begins with a placeholder is in its table.
  if (placeholder.test(first)) return null;
  if (others.length < 3) return "has fewer than four words: say who does what";
  if (subjectless.has(first.toLowerCase().replaceAll(/[^a-z]/g, ""))) return "does not begin with its subject";
  const isMember = /^SA[A-Z]+\d/.test(mentioned);
  return /^[a-z][a-z'’-]*[,:;]?$/.test(first) && !isMember ? "begins with a small letter" : null;
}

/** The titles of `it` and `test`, as their sources have them. */
function titlesIn(/** @type {string} */ path, /** @type {string} */ text) {
  /** @type {{ title: string, start: number }[]} */
  const titles = [];
  visit(parseSync(path, text).program, (node) => {
    if (node.type !== "CallExpression" || !isTest(node["callee"])) return;
    const [title, work] = /** @type {Node[]} */ (node["arguments"]);
    if (title === undefined || work === undefined) return;
    const { start, end } = title;
    if (title.type === "TemplateLiteral") titles.push({ title: text.slice(start + 1, end - 1), start });
    else if (typeof title["value"] === "string") titles.push({ title: title["value"], start });
  });
  return titles;
}

/** Whether a callee is `it` or `test`, one of their variants, or what a variant such as `it.each(…)` returns. */
function isTest(/** @type {unknown} */ callee) {
  let node = /** @type {Node} */ (callee);
  for (;;) {
    const inner = node["object"] ?? node["callee"] ?? node["tag"];
    if (inner === undefined) return node.type === "Identifier" && ["it", "test"].includes(String(node["name"]));
    node = /** @type {Node} */ (inner);
  }
}

/** Calls back for each node of a tree. */
function visit(/** @type {unknown} */ node, /** @type {(node: Node) => void} */ callback) {
  if (Array.isArray(node)) for (const each of node) visit(each, callback);
  if (typeof node !== "object" || node === null || Array.isArray(node)) return;
  if ("type" in node) callback(/** @type {Node} */ (node));
  for (const value of Object.values(node)) visit(value, callback);
}
