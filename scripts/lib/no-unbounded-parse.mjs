// The lint rule against parsers of texts whose size is not bounded. A small text from outside can become much work, so it passes through
// `src/lib/untrusted/`, which counts it before or while it is parsed. Texts that this deployment wrote are parsed by `own-json.ts` there.
//
// Contract: reads syntax. It permits `JSON.parse(JSON.stringify(value))`, which copies a value of this process.

const message =
  "A text from outside is bounded before it is parsed: use a reader of #lib/untrusted, or parseOwnJson for a text of this deployment.";

/** The files that may call a parser, each with the reason. A name that ends with a slash is a folder. */
/** @type {readonly [name: string, reason: string][]} */
export const parsingFiles = [
  ["src/lib/untrusted/", "the readers with bounds"],
  ["src/tools/web/page-text.ts", "the converter of pages, whose tags flat-html.ts bounds"],
  ["src/cli/", "files of the developer, and output of commands that the developer started"],
  ["src/compiler/", "files of the project, and output of the compiler's own processes"],
  ["src/testing/vite/", "package files of the project"],
  ["src/client/", "responses of the deployment whose address the page has"],
  ["src/react/", "responses of the deployment whose address the page has, and keys of this process"],
];

/** Packages and functions of the platform that parse a text as a whole. */
const parserPackages =
  /^(?:yaml|js-yaml|@mdream\/js|oxc-parser|eventsource-parser|secure-json-parse|fast-xml-parser|smol-toml)(?:\/|$)/;
const parserGlobals = new Set(["DOMParser", "HTMLRewriter"]);

const isAllowed = (file) =>
  !file.startsWith("src/") ||
  parsingFiles.some(([name]) => (name.endsWith("/") ? file.startsWith(name) : file === name));

const nameOf = ({ computed, property }) => (computed ? property.value : property.name);

const isJsonObject = ({ type, name, property }) =>
  (type === "Identifier" && name === "JSON") || (type === "MemberExpression" && property?.name === "JSON");

/** Whether a node is `JSON.stringify(…)`. */
const isStringified = (node) =>
  node?.type === "CallExpression" &&
  node.callee.type === "MemberExpression" &&
  isJsonObject(node.callee.object) &&
  nameOf(node.callee) === "stringify";

/** The rule. `fileOf` returns the name of the checked file in the repository. */
export const noUnboundedParse = (fileOf) => ({
  meta: { type: "problem" },
  create(context) {
    if (isAllowed(fileOf(context))) return {};
    const report = (node) => context.report({ node, message });
    const fromSource = (node) => {
      if (node.importKind === "type" || node.exportKind === "type") return;
      if (typeof node.source?.value === "string" && parserPackages.test(node.source.value)) report(node);
    };
    return {
      MemberExpression(node) {
        const { parent } = node;
        const isCalled = parent.type === "CallExpression" && parent.callee === node;
        if (isJsonObject(node.object) && nameOf(node) === "parse") {
          if (!(isCalled && isStringified(parent.arguments[0]))) report(node);
        }
        // `Response.json(value)` creates a response.
        if (isCalled && nameOf(node) === "json" && parent.arguments.length === 0) report(node);
      },
      VariableDeclarator({ id, init }) {
        if (init && isJsonObject(init) && id.type === "ObjectPattern") report(id);
      },
      NewExpression(node) {
        if (parserGlobals.has(node.callee.name)) report(node);
      },
      ImportDeclaration: fromSource,
      ExportNamedDeclaration: fromSource,
      ExportAllDeclaration: fromSource,
      ImportExpression: fromSource,
    };
  },
});
