// `npm run pack`: builds the packages `threadhold` and `create-threadhold`, and writes them as artifacts/packages/<name>-<version>.tgz.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";

import { buildCreatePackage } from "./lib/pack/create-package.mjs";
import { writeDeclarations } from "./lib/pack/declarations.mjs";
import { copyDocuments } from "./lib/pack/documents.mjs";
import { buildLibrary, buildProgram, bundleShell } from "./lib/pack/library.mjs";
import { llmsText } from "./lib/pack/llms-text.mjs";
import { outputName, publishedManifest } from "./lib/pack/manifest.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { builtUi } from "./lib/ui-build.mjs";

const own = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
mkdirSync(fromRoot(".cache"), { recursive: true });
// A folder of its own, since another process may pack at the same time.
const work = mkdtempSync(fromRoot(".cache/pack-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const folder = path.join(work, "package");
const inPackage = (file) => path.join(folder, file);
const createFolder = path.join(work, "create-package");

mkdirSync(folder);
const shell = path.join(work, "shell.mjs");
writeFileSync(inPackage("THIRD-PARTY-LICENSES.txt"), await bundleShell(shell));
const sources = Object.entries(own.exports).map(([key, source]) => [outputName(key), path.posix.normalize(source)]);
const [inLibrary, inProgram, , ui] = await Promise.all([
  buildLibrary(Object.fromEntries(sources), inPackage("dist"), shell),
  buildProgram(inPackage("dist/cli")),
  writeDeclarations(
    sources.map(([, file]) => file),
    inPackage("dist/types"),
  ),
  builtUi(),
  buildCreatePackage(createFolder, own),
]);
cpSync(ui.folder, inPackage("dist/ui"), { recursive: true });
cpSync(fromRoot("migrations/catalog"), inPackage("migrations/catalog"), { recursive: true });
copyDocuments(folder);
cpSync(fromRoot("LICENSE"), inPackage("LICENSE"));
writeFileSync(inPackage("llms.txt"), llmsText(folder));
const manifest = publishedManifest(own);
writeFileSync(inPackage("package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const declared = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]);
const missing = [...inLibrary, ...inProgram].filter((name) => !declared.has(name) && !builtinModules.includes(name));
if (missing.length > 0) throw new Error(`package.json has to list ${missing.join(", ")}: the package imports them.`);

const packages = fromRoot("artifacts/packages");
mkdirSync(packages, { recursive: true });
for (const [name, from] of Object.entries({ threadhold: folder, "create-threadhold": createFolder })) {
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
