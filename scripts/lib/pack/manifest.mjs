// The published manifests, from the repository's own: the same version, dependencies and entries, with built files.

import { readFileSync } from "node:fs";
import path from "node:path";

import { fromRoot } from "../paths.mjs";

/** The output name of an entry: `index` for ".", `react/ai-sdk` for "./react/ai-sdk". */
export const outputName = (key) => (key === "." ? "index" : key.replace(/^\.\//, ""));

const sourceOfDeclaration = (source) => source.replace(/^\.\/src\//, "").replace(/\.tsx?$/, ".d.ts");

/** The entries that the package of the client has, and that `threadhold` exports from there. */
export const isClientEntry = (key) => /^\.\/(?:client|react)(?:\/|$)/.test(key);

/** An entry of `threadhold` as an entry of the package of the client: "." for "./client". */
export const clientEntry = (key) => key.replace(/^\.\/client\b/, ".");

/** Fields that are equal in both manifests. */
const kept = ["name", "version", "description", "keywords", "license", "repository", "type", "engines"];

/** How the versions of dependencies are published: as ranges, or for tests as the versions of the repository. */
export const versionRange = ({ isExact }) =>
  isExact ? (version) => version : (version) => version.replace(/^(?=\d)/, "^");

const ranges = (packages, range) =>
  Object.fromEntries(Object.entries(packages).map(([name, version]) => [name, range(version)]));

const exportsOf = (entries) => ({
  ...Object.fromEntries(
    entries.map(([key, name, source]) => [
      key,
      { types: `./dist/types/${sourceOfDeclaration(source)}`, default: `./dist/${name}.js` },
    ]),
  ),
  "./package.json": "./package.json",
});

/** The manifest of `threadhold`. */
export function publishedManifest(own, range) {
  const manifest = Object.fromEntries(kept.flatMap((field) => (field in own ? [[field, own[field]]] : [])));
  const { zod, ...dependencies } = own.dependencies;
  return {
    ...manifest,
    dependencies: { ...ranges(dependencies, range), "@threadhold/client": own.version },
    peerDependencies: { ...own.peerDependencies, "@threadhold/cli": own.version, zod: `^${zod}` },
    peerDependenciesMeta: { ...own.peerDependenciesMeta, "@threadhold/cli": { optional: true } },
    sideEffects: false,
    bin: { threadhold: "dist/cli/threadhold.js" },
    exports: exportsOf(Object.entries(own.exports).map(([key, source]) => [key, outputName(key), source])),
    files: ["dist", "migrations", "docs", "CHANGELOG.md", "SECURITY.md", "llms.txt", "THIRD-PARTY-LICENSES.txt"],
  };
}

/** The manifest of the command line. Its dependencies are the packages that its modules import. */
export function commandLineManifest(own, imported, range) {
  const versions = { ...own.devDependencies, ...own.dependencies };
  const peers = Object.keys(own.peerDependencies).filter((name) => imported.includes(name));
  const names = imported.filter((name) => !peers.includes(name) && name !== "zod").toSorted();
  return {
    ...manifestOf("cli", own),
    dependencies: ranges(Object.fromEntries(names.map((name) => [name, versions[name]])), range),
    peerDependencies: {
      threadhold: own.version,
      ...Object.fromEntries(peers.map((name) => [name, own.peerDependencies[name]])),
      zod: `^${own.dependencies.zod}`,
    },
    ...(peers.length > 0 && { peerDependenciesMeta: pick(own.peerDependenciesMeta, peers) }),
  };
}

/** The manifest of the client. `imported` are the packages that its modules import, all of which are optional peers of `threadhold`. */
export function clientManifest(own, imported) {
  const peers = imported.filter((name) => name in own.peerDependencies).toSorted();
  return {
    ...manifestOf("client", own),
    ...(peers.length > 0 && {
      peerDependencies: pick(own.peerDependencies, peers),
      peerDependenciesMeta: pick(own.peerDependenciesMeta, peers),
    }),
    exports: exportsOf(
      Object.entries(own.exports)
        .filter(([key]) => isClientEntry(key))
        .map(([key, source]) => [clientEntry(key), outputName(clientEntry(key)), source]),
    ),
  };
}

const pick = (object, names) => Object.fromEntries(names.map((name) => [name, object[name]]));

/** The manifest in `packages/<folder>`, which has the version of `threadhold`. */
export function manifestOf(folder, own) {
  const manifest = JSON.parse(readFileSync(path.join(fromRoot("packages"), folder, "package.json"), "utf8"));
  if (manifest.version !== own.version)
    throw new Error(`packages/${folder}/package.json has version ${manifest.version}, package.json ${own.version}.`);
  const { repository } = own;
  return repository === undefined ? manifest : { ...manifest, repository };
}
