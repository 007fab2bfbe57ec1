// Bundles the modules of `src` and `test/worker` and their packages once for all tests inside the Workers runtime. The bundle is stored
// under a hash of its sources, and later runs use it until a source changes.
//
// The test runner starts a runtime for each isolated test file, and by default it sends every module to it on its own: about 600
// modules, two processor seconds a file. Here all of them are one native module that the runtime loads from a file, 0.2 seconds a
// test file. Each module and each package is replaced by lines that export from the bundle, so no module exists twice. A source map
// connects stack traces with the sources.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "vite";

import { sourcesHash } from "../../../scripts/lib/sources-hash.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * The path is fixed, because test/wrangler.test.jsonc has a rule that lets the runtime load the modules in this folder
 * itself.
 */
const folder = path.join(root, ".cache/runtime-modules");

/** The modules that the test runner itself evaluates before each test file, since they use it. */
export const setupFiles = ["test/worker/quick-pool.ts", "test/worker/fresh.ts"];

/** Packages that tests share with `src`. */
const packages = ["jose", "picomatch/posix", "zod"];

/** Modules that only a few tests need. Each of them remains a separate module, which the runtime loads only when it is imported. */
const rare = /\/node_modules\/(@(ai-sdk|openrouter|modelcontextprotocol)|eventsource)\/|\/src\/tools\/mcp\//;

const idOf = (/** @type {string} */ name) => path.join(folder, `${name}.js`);

/**
 * The plugin of a project whose tests run inside the runtime.
 *
 * @param {Record<string, string>} alias
 * @returns {import("vitest/config").Plugin}
 */
export function runtimeModules(alias) {
  /** @type {Promise<Map<string, string>> | undefined} */
  let built;
  let isWatching = false;
  return {
    name: "threadhold:runtime-modules",
    enforce: "pre",
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch;
    },
    resolveId: (id) => (!isWatching && packages.includes(id) ? idOf(id) : undefined),
    async load(id) {
      // In watch mode a bundle would be outdated after the first edit.
      if (isWatching) return undefined;
      built ??= bundle(alias);
      const code = (await built).get(id);
      return code === undefined ? undefined : { code, map: { mappings: "" } };
    },
  };
}

/** @type {Map<string, SourceMap>} */
const maps = new Map();

/**
 * Replaces the position of a stack trace's line in the bundle by the position in the source, for `onStackTrace`.
 *
 * @param {unknown} _error
 * @param {import("vitest").ParsedStack} frame is changed
 */
export function leadToSource(_error, frame) {
  const file = /\.cache\/runtime-modules\/[\w-]+\/[\w-]+\.mjs/.exec(frame.file)?.[0];
  if (file === undefined) return;
  const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(path.join(root, `${file}.map`), "utf8")));
  maps.set(file, map);
  const origin = map.findOrigin(frame.line, frame.column);
  if (!("fileName" in origin)) return;
  frame.file = path.resolve(root, path.dirname(file), origin.fileName);
  frame.line = origin.lineNumber;
  frame.column = origin.columnNumber;
}

/**
 * The paths whose content decides the bundle. The list of installed packages has the version of each. A package that is changed by hand is
 * not noticed: delete `.cache/runtime-modules` then.
 */
const sources = [
  "src",
  "test/worker",
  "test/support/runtime-modules",
  "migrations",
  "package.json",
  "node_modules/.package-lock.json",
  "tsconfig.json",
];

const keptForMs = 24 * 60 * 60 * 1000;

/** The file of a stored bundle that lists the replacement of each module. */
const replacementsFile = "replacements.json";

/**
 * Makes the bundle if it is not stored.
 *
 * @param {Record<string, string>} alias
 * @returns {Promise<Map<string, string>>} by the id of each replaced module, what replaces it
 */
async function bundle(alias) {
  let stored = storedFolder(alias);
  while (!existsSync(stored)) {
    await writeBundle(stored, alias);
    // A source can have changed meanwhile, and the bundle was then not stored.
    stored = storedFolder(alias);
  }
  // The time of the last use: bundles that were not used for a day are deleted.
  utimesSync(stored, new Date(), new Date());
  return new Map(JSON.parse(readFileSync(path.join(stored, replacementsFile), "utf8")));
}

/** @param {Record<string, string>} alias */
function storedFolder(alias) {
  // The bundle contains absolute paths.
  return path.join(folder, sourcesHash(root, sources, [root, alias, process.env.NODE_ENV]));
}

/** Throws if a module is not part of the hash, because a change of it would not be noticed. */
function checkHashed(/** @type {readonly string[]} */ modules) {
  // `node_modules` can be a link to a folder outside of the project.
  const isHashed = (/** @type {string} */ file) =>
    /(?:^|\/)node_modules\//.test(file) || sources.some((source) => file === source || file.startsWith(`${source}/`));
  // Modules that the bundler itself adds have no path.
  const other = modules
    .filter((id) => path.isAbsolute(id))
    .map((id) => path.relative(root, id))
    .find((file) => !isHashed(file));
  if (other !== undefined) throw new Error(`${other} is in the bundle: add it to \`sources\`.`);
}

/**
 * Writes the bundle, and deletes those that were not used for a day.
 *
 * @param {string} stored the folder of the bundle
 * @param {Record<string, string>} alias
 */
async function writeBundle(stored, alias) {
  mkdirSync(folder, { recursive: true });
  const outDir = `${stored}.${process.pid}`;
  rmSync(outDir, { recursive: true, force: true });
  const modules = [
    ...sourceFiles().map((file) => ({ id: path.join(root, file), from: path.join(root, file) })),
    ...packages.map((name) => ({ id: idOf(name), from: name })),
  ];
  const result = await build({
    root,
    configFile: false,
    logLevel: "warn",
    resolve: {
      alias,
      conditions: ["workerd", "worker", "module", "browser"],
      mainFields: ["browser", "module", "main"],
    },
    ssr: { target: "webworker", noExternal: true },
    plugins: [textOfMigrations],
    build: {
      ssr: true,
      outDir,
      minify: false,
      sourcemap: true,
      target: "esnext",
      rolldownOptions: {
        input: Object.fromEntries(modules.map(({ id, from }) => [path.relative(root, id), from])),
        external: /^(?:(?:cloudflare|node|workerd):|vitest$)/,
        preserveEntrySignatures: "strict",
        // All modules are in one chunk, so that a dynamic import separates none.
        checks: { ineffectiveDynamicImport: false },
        output: {
          format: "es",
          keepNames: true,
          entryFileNames: "entry/[name].mjs",
          chunkFileNames: "[name].mjs",
          codeSplitting: { groups: [{ name: "modules", test: (id) => !rare.test(id) }] },
        },
      },
    },
  });
  rmSync(path.join(outDir, "entry"), { recursive: true });
  /** @type {[id: string, code: string][]} */
  const replacements = [];
  for (const chunk of "output" in result ? result.output : []) {
    if (chunk.type !== "chunk") continue;
    checkHashed(chunk.moduleIds);
    if (!chunk.isEntry) continue;
    const code = chunk.code.replaceAll(/"(?:\.\.?\/)+([\w-]+\.mjs)"/g, (_, file) =>
      JSON.stringify(path.join(stored, file)),
    );
    replacements.push([path.join(root, chunk.name), code]);
  }
  writeFileSync(path.join(outDir, replacementsFile), JSON.stringify(replacements));
  for (const name of readdirSync(folder)) {
    const other = path.join(folder, name);
    const { mtimeMs } = statSync(other, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > keptForMs) rmSync(other, { recursive: true, force: true });
  }
  try {
    if (stored === storedFolder(alias)) renameSync(outDir, stored);
  } catch (error) {
    // Another process has made the same bundle in the meantime.
    if (!existsSync(stored)) throw error;
  }
  rmSync(outDir, { recursive: true, force: true });
}

/** Modules that a dynamic import loads. A module that is an entry of the bundle could not be found by such an import. */
const loadedLater = new Set([
  "src/facade/phi/loop-in-thread.ts",
  "src/facade/phi/provider/models-of.ts",
  "src/core/rpc/authorization-rows.ts",
  "src/dialect/mcp/served-messages.ts",
  "src/dialect/ai-sdk/chat-requests.ts",
  "src/dialect/session/session-requests.ts",
  "src/http/auth/json-web-token.ts",
  "src/http/authorization/authorization-requests.ts",
  "src/models/access-tokens.ts",
  "src/models/catalogue-search.ts",
  "src/models/bedrock/bedrock-fetch.ts",
  "src/models/bedrock/converse-model.ts",
  "src/models/bedrock/failure-hint.ts",
  "src/models/create-model-port.ts",
  "src/models/hint/azure-hint.ts",
  "src/models/hint/general-hint.ts",
  "src/models/hint/vertex-hint.ts",
  "src/models/provider/clouds.ts",
  "src/facade/phi/provider/kept-languages.ts",
  "src/models/load-catalogue.ts",
  "src/models/provider/azure-model.ts",
  "src/models/provider/google-package.ts",
  "src/models/provider/own/own-model.ts",
  "src/models/provider/own/own-profile.ts",
  "src/models/provider/openai-package.ts",
  "src/models/provider/plain/plain-converse.ts",
  "src/models/provider/tools/provider-tools.ts",
  "src/models/provider/vertex-assertion.ts",
  "src/models/provider/vertex-model.ts",
  "src/store/files/file-search.ts",
  "src/thread/archive/thread-export.ts",
  "src/thread/archive/thread-import.ts",
  "src/worker/route-trials.ts",
  "src/worker/route-authorizations.ts",
]);

/** The modules that run inside the runtime, as paths from the root. */
function sourceFiles() {
  return (
    ["src", "test/worker"]
      .flatMap((top) =>
        readdirSync(path.join(root, top), { recursive: true }).map((file) => path.join(top, String(file))),
      )
      .filter((file) => /(?<!\.d)\.ts$/.test(file) && !setupFiles.includes(file))
      // The compiler and the command line run in Node, hooks run in a browser, and the deployed Worker's entry needs compiled definitions.
      .filter(
        (file) => !/^src\/(?:cli|compiler|react|tools\/node|testing\/vite)\//.test(file) && file !== "src/index.ts",
      )
      // The registry imports them when a thread uses an MCP server or skills, and programs of Node the tools of a loop.
      .filter((file) => !/^src\/(?:tools\/(?:mcp|openapi|skills)|facade\/phi\/tools)\//.test(file))
      // A table is loaded when a model is looked up in it.
      .filter((file) => !/^src\/models\/provider\/facts\/.*-facts\.ts$/.test(file))
      // Other modules import them when they are needed first.
      .filter((file) => !loadedLater.has(file))
  );
}

/** Migrations are modules whose default export is their text. @type {import("vite").Plugin} */
const textOfMigrations = {
  name: "threadhold:text-of-migrations",
  enforce: "pre",
  load: (id) =>
    id.endsWith(".sql")
      ? { code: `export default ${JSON.stringify(readFileSync(id, "utf8"))}`, moduleType: "js" }
      : undefined,
};
