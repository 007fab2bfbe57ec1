// Writes the API reference of a package entry as Markdown from its doc comments and declarations. A declaration is shown as it is
// written, without bodies and private members. Names of types are not expanded; a name in the reference is a link.

import { docCommentOf, firstSentence, withoutMarks } from "./doc-comment.mjs";

/**
 * @typedef {import("./module-exports.mjs").Node} Node
 * @typedef {import("./module-exports.mjs").Source} Source
 * @typedef {import("./module-exports.mjs").Exported} Exported
 * @typedef {{ specifier: string, file: string, about: string, exports: Exported[] }} Entry
 * @typedef {Map<string, { link: string, exported: Exported }>} Links the exports by name
 */

const functions = new Set(["FunctionDeclaration", "TSDeclareFunction", "ClassDeclaration", "VariableDeclaration"]);

/** @param {Exported} exported */
const isValue = ({ nodes }) => nodes.some((node) => functions.has((node["declaration"] ?? node).type));

/** @param {Exported} exported */
const docOf = ({ nodes, source }) => nodes.map((node) => docCommentOf(node, source)).find((doc) => doc !== undefined);

/**
 * A line for each export without a doc comment.
 *
 * @param {readonly Entry[]} entries
 */
export function undocumented(entries) {
  return entries.flatMap(({ specifier, exports }) =>
    exports
      .filter((exported) => docOf(exported) === undefined)
      .map(({ name, source }) => `${source.path}  ${name} of ${specifier} has no doc comment`),
  );
}

/** @param {Exported} exported */
const isInternal = (exported) => /@internal\b/.test(docOf(exported) ?? "");

/**
 * @param {Entry} entry
 * @param {readonly Entry[]} entries all of the reference, for links
 */
export function entryPage(entry, entries) {
  const shown = entry.exports.filter((exported) => !isInternal(exported));
  const sorted = shown.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const values = sorted.filter(isValue);
  const types = sorted.filter((exported) => !isValue(exported));
  const links = linksFor(entry, entries);
  const section = (/** @type {string} */ title, /** @type {Exported[]} */ list) =>
    list.length === 0 ? [] : [`## ${title}`, ...list.map((exported) => item(exported, links))];
  return `${[
    `# ${entry.specifier}`,
    `${entry.about} Written by \`npm run docs\` from the doc comments; change those, not this page.`,
    ["| name | |", "|---|---|", ...[...values, ...types].map(row)].join("\n"),
    ...section("Functions and classes", values),
    ...section("Types", types),
  ].join("\n\n")}\n`;
}

/** @param {Exported} exported */
function row(exported) {
  return `| [${exported.name}](#${exported.name.toLowerCase()}) | ${firstSentence(docOf(exported) ?? "").replaceAll("|", "\\|")} |`;
}

/**
 * @param {Exported} exported
 * @param {Links} links
 */
function item(exported, links) {
  const { name, nodes, source } = exported;
  // The last declaration of an overloaded function is its implementation, which callers do not see.
  const seen = nodes.length > 1 ? nodes.filter((node) => bodyOf(node) === undefined) : nodes;
  const own = seen.map((node) => declarationText(node, source)).join("\n\n");
  const code = [own, ...schemasOf(own, source)].join("\n\n");
  const mentioned = code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  const used = [...links].filter(
    ([other, linked]) => other !== name && isMentioned(linked.exported, mentioned, source),
  );
  const see = used.map(([other, { link }]) => `[${other}](${link})`).join(", ");
  return [
    `### ${name}`,
    withoutMarks(docOf(exported) ?? ""),
    `\`\`\`ts\n${code}\n\`\`\``,
    ...(see === "" ? [] : [`See ${see}.`]),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/**
 * Whether a declaration of a file refers to an export. A field can have the name of a function, and a file can have a type of its own with
 * the name of another file's.
 *
 * @param {Exported} exported
 * @param {string} code without comments
 * @param {Source} source the file of the code
 */
function isMentioned({ name, nodes, source: { path } }, code, source) {
  const isType = nodes.some(
    (node) => !/^(?:Function|TSDeclareFunction|Variable)/.test((node["declaration"] ?? node).type),
  );
  if (!new RegExp(isType ? `\\b${name}\\b` : `(?:\\btypeof|=) ${name}\\b`).test(code)) return false;
  return path === source.path || !source.body.some((node) => (node["declaration"] ?? node)["id"]?.name === name);
}

/**
 * The schemas that a type is inferred from (`z.infer<typeof threadSchema>`), which have its fields.
 *
 * @param {string} code
 * @param {Source} source
 */
function schemasOf(code, source) {
  const names = new Set([...code.matchAll(/\btypeof (\w+)/g)].map(([, name]) => name));
  return source.body.flatMap((node) => {
    const declared = node["declaration"] ?? node;
    const isSchema = declared.type === "VariableDeclaration" && names.has(declared["declarations"][0].id.name);
    return isSchema ? [variableText(declared, source)] : [];
  });
}

/** @param {Node} node */
const bodyOf = (node) => (node["declaration"] ?? node)["body"] ?? undefined;

/**
 * @param {Node} node
 * @param {Source} source
 */
function declarationText(node, source) {
  const declared = node["declaration"] ?? node;
  const { text } = source;
  switch (declared.type) {
    case "FunctionDeclaration":
      return `${text.slice(declared.start, declared["body"].start).trim()};`;
    case "ClassDeclaration":
      return classText(declared, source);
    case "VariableDeclaration":
      return variableText(declared, source);
    default:
      return text.slice(declared.start, declared.end);
  }
}

/**
 * A variable with its type if it states one, else with its value.
 *
 * @param {Node} declared
 * @param {Source} source
 */
function variableText(declared, { text }) {
  const [{ id, end }] = declared["declarations"];
  return `${declared["kind"]} ${text.slice(id.start, id.typeAnnotation ? id.end : end)};`;
}

/**
 * @param {Node} declared
 * @param {Source} source
 */
function classText(declared, source) {
  const { text } = source;
  const head = text.slice(declared.start, declared["body"].start).trim();
  const members = declared["body"].body.flatMap((/** @type {Node} */ member) => memberText(member, source));
  return `${head} {\n${members.join("\n")}\n}`;
}

/**
 * A member of a class with its doc comment; none for a private one, and none for a constructor without a comment, because callers do
 * not use it.
 *
 * @param {Node} member
 * @param {Source} source
 * @returns {string[]}
 */
function memberText(member, source) {
  const { text } = source;
  const doc = docCommentOf(member, source);
  const hidden =
    member["key"]?.type === "PrivateIdentifier" || /^(private|protected)$/.test(member["accessibility"] ?? "");
  if (hidden || member.type === "StaticBlock" || /@internal\b/.test(doc ?? "")) return [];
  if (member["kind"] === "constructor" && doc === undefined) return [];
  const body = member["value"]?.body;
  const typed = member.type === "PropertyDefinition" && member["typeAnnotation"];
  const end = body ? body.start : typed ? member["typeAnnotation"].end : member.end;
  const signature = text
    .slice(member.start, end)
    .trim()
    .replace(/^async /, "")
    .replace(/;$/, "");
  return [...(doc === undefined ? [] : [`  ${doc}`]), `  ${signature};`];
}

/**
 * @param {Entry} entry
 * @param {readonly Entry[]} entries
 */
function linksFor(entry, entries) {
  /** @type {Links} */
  const links = new Map();
  const inOrder = [...entries.filter((other) => other !== entry).toReversed(), entry];
  for (const { file, exports } of inOrder) {
    for (const exported of exports.filter((one) => !isInternal(one))) {
      const anchor = `#${exported.name.toLowerCase()}`;
      links.set(exported.name, { link: file === entry.file ? anchor : `${file}${anchor}`, exported });
    }
  }
  return new Map([...links].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** @param {readonly Entry[]} entries */
export function indexPage(entries) {
  const rows = entries.map(({ specifier, file, about }) => `| [${specifier}](${file}) | ${about} |`);
  return `${[
    "# API reference",
    "The entries of the package, written by `npm run docs` from the doc comments. Events, requests and errors of the HTTP API are\nin [wire.md](../wire.md) and in `GET /api/openapi.json`.",
    ["| entry | |", "|---|---|", ...rows].join("\n"),
  ].join("\n\n")}\n`;
}
