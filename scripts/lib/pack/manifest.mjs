// The published manifest, from the repository's own: the same name, version, dependencies and entries, with built files.

/** The output name of an entry: `index` for ".", `react/ai-sdk` for "./react/ai-sdk". */
export const outputName = (key) => (key === "." ? "index" : key.replace(/^\.\//, ""));

const sourceOfDeclaration = (source) => source.replace(/^\.\/src\//, "").replace(/\.tsx?$/, ".d.ts");

/** Fields that are equal in both manifests. */
const kept = ["name", "version", "description", "keywords", "license", "repository", "type", "engines", "dependencies"];

export function publishedManifest(own) {
  const manifest = Object.fromEntries(kept.flatMap((field) => (field in own ? [[field, own[field]]] : [])));
  const entries = Object.entries(own.exports).map(([key, source]) => [
    key,
    { types: `./dist/types/${sourceOfDeclaration(source)}`, default: `./dist/${outputName(key)}.js` },
  ]);
  const { zod, ...dependencies } = own.dependencies;
  return {
    ...manifest,
    dependencies,
    peerDependencies: { ...own.peerDependencies, zod: `^${zod}` },
    peerDependenciesMeta: own.peerDependenciesMeta,
    sideEffects: false,
    bin: { threadhold: "dist/cli/threadhold.js" },
    exports: { ...Object.fromEntries(entries), "./package.json": "./package.json" },
    files: ["dist", "migrations", "docs", "CHANGELOG.md", "SECURITY.md", "llms.txt", "THIRD-PARTY-LICENSES.txt"],
  };
}
