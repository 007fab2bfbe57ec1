// `npm run pack`: builds the package `threadhold` and writes it as artifacts/packages/threadhold-<version>.tgz.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";

import { writeDeclarations } from "./lib/pack/declarations.mjs";
import { buildLibrary, buildProgram } from "./lib/pack/library.mjs";
import { llmsText } from "./lib/pack/llms-text.mjs";
import { outputName, publishedManifest } from "./lib/pack/manifest.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { buildUi, uiFolder } from "./lib/ui-build.mjs";

const own = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"));
const folder = fromRoot("dist/package");
const inPackage = (file) => path.join(folder, file);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const sources = Object.entries(own.exports).map(([key, source]) => [outputName(key), path.posix.normalize(source)]);
const [inLibrary, inProgram] = await Promise.all([
  buildLibrary(Object.fromEntries(sources), inPackage("dist")),
  buildProgram(inPackage("dist/cli")),
  writeDeclarations(
    sources.map(([, file]) => file),
    inPackage("dist/types"),
  ),
  buildUi(),
]);
cpSync(uiFolder, inPackage("dist/ui"), { recursive: true });
cpSync(fromRoot("migrations/catalog"), inPackage("migrations/catalog"), { recursive: true });
for (const name of ["guide", "reference"])
  cpSync(fromRoot(`docs/${name}`), inPackage(`docs/${name}`), { recursive: true });
for (const name of ["LICENSE", "CHANGELOG.md"]) cpSync(fromRoot(name), inPackage(name));
cpSync(fromRoot("docs/package.md"), inPackage("README.md"));
writeFileSync(inPackage("llms.txt"), llmsText(folder));
const manifest = publishedManifest(own);
writeFileSync(inPackage("package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const declared = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]);
const missing = [...inLibrary, ...inProgram].filter((name) => !declared.has(name) && !builtinModules.includes(name));
if (missing.length > 0) throw new Error(`package.json has to list ${missing.join(", ")}: the package imports them.`);

const packages = fromRoot("artifacts/packages");
mkdirSync(packages, { recursive: true });
const { code, output } = await runCommand("npm", ["pack", "--silent", "--pack-destination", packages, folder], {
  quiet: true,
});
if (code !== 0) {
  console.error(output);
  process.exit(code);
}
console.log(`wrote artifacts/packages/threadhold-${own.version}.tgz`);
