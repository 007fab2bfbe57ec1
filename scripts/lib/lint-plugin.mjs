// The project's own lint rules, which oxlint loads as a JS plugin: a relative import stays inside its layer, core uses no ambient clock,
// every await follows a fault point, requests share no promise, texts from outside are parsed within bounds, tests and their objects wait
// by `crossing()`, only provider profiles compare provider names, every lint disable has a reason, and there are no enums and no files named
// `utils`, `helpers` or the like.

import path from "node:path";

import { faultBeforeAwait } from "./fault-before-await.mjs";
import { noProviderName } from "./no-provider-name.mjs";
import { noSharedPromise } from "./no-shared-promise.mjs";
import { noUnboundedParse } from "./no-unbounded-parse.mjs";

/**
 * Whether a file may name a target by a relative path. In src/ it must not leave its layer; definitions must not
 * leave agents/, the playground playground/, and a package its folder. Files elsewhere reach into src/ by "#layer/file.ts" only, and tests into the
 * playground by "#playground/file.ts". Migrations are no layer: the store, which runs them, and tests read them as text.
 */
function mayReach(file, target) {
  const [top, layer] = file.split("/");
  if (target.startsWith("migrations/")) return top === "test" || file.startsWith("src/store/");
  if (top === "src") return target.startsWith(file.split("/").length > 2 ? `src/${layer}/` : "src/");
  if (top === "packages") return target.startsWith(`packages/${layer}/`);
  if (top === "agents" || top === "playground") return target.startsWith(`${top}/`);
  return !/^(src|playground)\//.test(target);
}

/** Calls `visit(node, specifier)` for every import of a module, types and dynamic imports included. */
function forEachSpecifier(visit) {
  const fromSource = (node) => {
    if (typeof node.source?.value === "string") visit(node.source, node.source.value);
  };
  return {
    ImportDeclaration: fromSource,
    ExportNamedDeclaration: fromSource,
    ExportAllDeclaration: fromSource,
    ImportExpression: fromSource,
    TSImportType: fromSource,
  };
}

const relativeFile = (context) => path.relative(context.cwd, context.filename).split(path.sep).join("/");

const noLayerEscape = {
  meta: { type: "problem" },
  create(context) {
    const file = relativeFile(context);
    return forEachSpecifier((node, specifier) => {
      if (!specifier.startsWith(".")) return;
      const target = path.posix.join(path.posix.dirname(file), specifier);
      if (mayReach(file, target)) return;
      context.report({ node, message: 'A relative import stays inside its layer: write "#layer/file.ts".' });
    });
  },
};

/** Files directly in src/ may import every layer, but only by "#layer/file.ts". */
const noRelativeLayer = {
  meta: { type: "problem" },
  create(context) {
    return forEachSpecifier((node, specifier) => {
      if (!/^\.\/[^/]+\//.test(specifier)) return;
      context.report({ node, message: 'Layers are imported as "#layer/file.ts", also from the composition root.' });
    });
  },
};

const noAmbientClock = {
  meta: { type: "problem" },
  create(context) {
    const report = (node) => context.report({ node, message: "Time is passed in: ask the Clock port." });
    return {
      NewExpression(node) {
        if (node.callee.name === "Date" && node.arguments.length === 0) report(node);
      },
      CallExpression(node) {
        if (node.callee.name === "Date") report(node);
      },
    };
  },
};

const directive = /^\s*(?:oxlint|eslint)-disable(?:-next-line|-line)?\b/;

const disableNeedsReason = {
  meta: { type: "problem" },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          if (!directive.test(comment.value)) continue;
          if (/\s--\s+\S.{7,}/s.test(comment.value)) continue;
          context.report({ node: comment, message: 'A lint disable says why: add " -- reason" to the comment.' });
        }
      },
    };
  },
};

const noEnum = {
  meta: { type: "problem" },
  create: (context) => ({
    TSEnumDeclaration(node) {
      context.report({ node, message: "No enums: use a union of string literals." });
    },
  }),
};

const noCatchAllFile = {
  meta: { type: "problem" },
  create: (context) => ({
    Program(node) {
      const name = path.basename(context.filename).replace(/\..*$/, "");
      if (!/^(utils?|helpers?|types|misc|common)$/.test(name)) return;
      context.report({ node, message: `"${name}" names no concept: call the file after the one thing it owns.` });
    },
  }),
};

/**
 * For tests that run next to their objects. If code outside of the executor resolves a promise, the code that waits for it may continue in the
 * context of another object.
 */
const noEscapingResolve = {
  meta: { type: "problem" },
  create(context) {
    const report = (node) =>
      context.report({
        node,
        message:
          "A wait for this promise may continue in the context of another object: use crossing() of test/worker/crossing.ts.",
      });
    return {
      MemberExpression(node) {
        if (node.object.name === "Promise" && node.property.name === "withResolvers") report(node);
      },
      AssignmentExpression({ right, parent }) {
        if (right.type !== "Identifier") return;
        for (let node = parent; node; node = node.parent) {
          if (node.type !== "NewExpression" || node.callee.name !== "Promise") continue;
          const [executor] = node.arguments;
          if (executor?.params?.some(({ name }) => name === right.name)) report(node);
        }
      },
    };
  },
};

export default {
  meta: { name: "threadhold" },
  rules: {
    "no-layer-escape": noLayerEscape,
    "no-relative-layer": noRelativeLayer,
    "no-ambient-clock": noAmbientClock,
    "disable-needs-reason": disableNeedsReason,
    "no-enum": noEnum,
    "no-catch-all-file": noCatchAllFile,
    "fault-before-await": faultBeforeAwait,
    "no-provider-name": noProviderName,
    "no-shared-promise": noSharedPromise,
    "no-unbounded-parse": noUnboundedParse(relativeFile),
    "no-escaping-resolve": noEscapingResolve,
  },
};
