// `npm run pack`: builds the packages `threadhold`, `@threadhold/cli`, `@threadhold/client` and `create-threadhold` from the one tree of sources,
// and writes them as artifacts/packages/<name>-<version>.tgz. The versions of their dependencies are ranges; with --exact those of this tree.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";

import { buildCreatePackage } from "./lib/pack/create-package.mjs";
import { writeDeclarations } from "./lib/pack/declarations.mjs";
import { copyDocuments } from "./lib/pack/documents.mjs";
import { buildLibrary, buildProgram, bundleShell } from "./lib/pack/library.mjs";
import { llmsText } from "./lib/pack/llms-text.mjs";
import {
  clientEntry,
  clientManifest,
  commandLineManifest,
  isClientEntry,
  outputName,
  publishedManifest,
  versionRange,
} from "./lib/pack/manifest.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { builtUi } from "./lib/ui-build.mjs";

const own = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
const range = versionRange({ isExact: process.argv.includes("--exact") });
mkdirSync(fromRoot(".cache"), { recursive: true });
// A folder of its own, since another process may pack at the same time.
const work = mkdtempSync(fromRoot(".cache/pack-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const inWork = (name) => {
  mkdirSync(path.join(work, name));
  return path.join(work, name);
};
const [folder, cli, client, create] = [
  inWork("threadhold"),
  inWork("cli"),
  inWork("client"),
  inWork("create-threadhold"),
];

/** The files that are written for people, and the manifest. */
const finish = (to, from, manifest) => {
  cpSync(fromRoot("LICENSE"), path.join(to, "LICENSE"));
  if (from !== null) cpSync(fromRoot(`packages/${from}/README.md`), path.join(to, "README.md"));
  writeFileSync(path.join(to, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
};

const shell = path.join(work, "shell.mjs");
writeFileSync(path.join(folder, "THIRD-PARTY-LICENSES.txt"), await bundleShell(shell));
const entries = Object.entries(own.exports).map(([key, source]) => ({ key, source: path.posix.normalize(source) }));
const ofClient = entries.filter(({ key }) => isClientEntry(key));
/** The specifiers under which the package of the client exports source files. */
const exporters = Object.fromEntries(
  ofClient.map(({ key, source }) => [source, path.posix.join("@threadhold/client", clientEntry(key))]),
);

const [inLibrary, inProgram, inCommandLine, inClient, , ui] = await Promise.all([
  buildLibrary(sourcesByName(entries), path.join(folder, "dist"), {
    resolve(on) {
      on.onResolve({ filter: /^just-bash\/browser$/ }, () => ({ path: shell, sideEffects: false }));
      // A class or a context of React exists once, whichever of the two packages a program imports.
      on.onResolve({ filter: /^#client\/index\.ts$/ }, () => ({ path: "@threadhold/client", external: true }));
      on.onLoad({ filter: /[\\/]src[\\/](?:client|react)[\\/].*index\.ts$/ }, ({ path: file }) => {
        const exporter = exporters[path.relative(fromRoot("."), file).split(path.sep).join("/")];
        return exporter === undefined ? undefined : { contents: `export * from ${JSON.stringify(exporter)};` };
      });
    },
  }),
  buildProgram({ threadhold: "src/cli/bin.ts" }, path.join(folder, "dist/cli")),
  buildProgram({ index: "src/cli/program.ts", bin: "src/cli/package-bin.ts" }, path.join(cli, "dist")),
  buildLibrary(
    sourcesByName(ofClient.map(({ key, source }) => ({ key: clientEntry(key), source }))),
    path.join(client, "dist"),
    {
      // The package has to be small, and its code is readable without source maps.
      sourcemap: false,
    },
  ),
  writeDeclarations([
    {
      entries: entries.map(({ source }) => source),
      folder: path.join(folder, "dist/types"),
      elsewhere: Object.fromEntries(
        Object.entries(exporters).map(([source, exporter]) => [source.replace(/^src\/|\.tsx?$/g, ""), exporter]),
      ),
    },
    { entries: ofClient.map(({ source }) => source), folder: path.join(client, "dist/types"), isSmall: true },
  ]),
  builtUi(),
  buildCreatePackage(create, own),
]);
cpSync(ui.folder, path.join(folder, "dist/ui"), { recursive: true });
cpSync(fromRoot("migrations/catalog"), path.join(folder, "migrations/catalog"), { recursive: true });
copyDocuments(folder);
writeFileSync(path.join(folder, "llms.txt"), llmsText(folder));
const manifests = {
  threadhold: publishedManifest(own, range),
  "@threadhold/cli": commandLineManifest(own, without(builtinModules, inCommandLine), range),
  "@threadhold/client": clientManifest(own, inClient),
};
finish(folder, null, manifests.threadhold);
finish(cli, "cli", manifests["@threadhold/cli"]);
finish(client, "client", manifests["@threadhold/client"]);
for (const [name, imported] of Object.entries({
  threadhold: [...inLibrary, ...inProgram],
  "@threadhold/cli": inCommandLine,
  "@threadhold/client": inClient,
})) {
  const { dependencies = {}, peerDependencies = {} } = manifests[name];
  const missing = without([...builtinModules, ...Object.keys({ ...dependencies, ...peerDependencies })], imported);
  if (missing.length > 0)
    throw new Error(`The manifest of ${name} has to list ${missing.join(", ")}: the package imports them.`);
  const unused = without(imported, Object.keys(dependencies));
  if (unused.length > 0) throw new Error(`No module of ${name} imports its dependencies ${unused.join(", ")}.`);
}

function sourcesByName(list) {
  return Object.fromEntries(list.map(({ key, source }) => [outputName(key), source]));
}

function without(names, list) {
  return list.filter((name) => !names.includes(name));
}

const packages = fromRoot("artifacts/packages");
mkdirSync(packages, { recursive: true });
for (const [name, from] of Object.entries({
  threadhold: folder,
  "create-threadhold": create,
  "threadhold-cli": cli,
  "threadhold-client": client,
})) {
  // The folder has a manifest of its own without scripts, so npm runs no `prepack` or `postpack`.
  const { code, output } = await runCommand("npm", ["pack", "--silent", "--pack-destination", work, from], {
    quiet: true,
  });
  if (code !== 0) {
    console.error(output);
    process.exit(code);
  }
  const tarball = `${name}-${own.version}.tgz`;
  renameSync(path.join(work, tarball), path.join(packages, tarball));
  console.log(`wrote artifacts/packages/${tarball}`);
}
