// Bundles all definitions into one module that loads each of them on demand, so that a definition that throws does not affect the
// others. There are two bundles: one for Node, from which the compiler reads definitions, and one with the options of wrangler's
// own bundle, so that bundling errors are found before the registry is written. `threadhold` and `@standardagents/spec` resolve to
// this package's spec, zod to the installed package. The second bundle imports zod from a module that is bundled once.

import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";
import type { BuildFailure, BuildOptions, Message, OutputFile, Plugin } from "esbuild";

import { bundleZod } from "./bundled-zod.ts";
import type { BundledZod } from "./bundled-zod.ts";
import { isObject } from "./definition-kind.ts";
import type { RuntimeImport } from "./node-modules.ts";
import { runtimeModuleName, workerOptions } from "./worker-bundle-options.ts";
import type { WorkerBundleOptions } from "./worker-bundle-options.ts";

export interface BundlePaths {
  /** The folder that contains `agents/`. */
  root: string;
  /** The installed package that this compiler belongs to. */
  packageRoot: string;
  /** The path that the bundle is written to. */
  outputFile: string;
}

/** The bundle, or the errors that prevented it. */
export type BundleResult =
  | {
      type: "built";
      code: string;
      modules: ModuleText[];
      makeSourceMap: SourceMapMaker;
      inputs: string[];
      runtimeImports: RuntimeImport[];
    }
  | { type: "failed"; errors: Message[] };

/** A module that a bundle imports. */
export interface ModuleText {
  /** The bundle imports `./` and this name. */
  name: string;
  code: string;
}

/**
 * Makes the source map of a bundle by bundling again, because only the position of an error needs the map. Returns undefined if a source was
 * changed since it was bundled.
 */
export type SourceMapMaker = () => Promise<string | undefined>;

/** Bundles the files for Node. The bundle exports `load`, a table from file to loader. */
export function bundleModules(files: readonly string[], paths: BundlePaths): Promise<BundleResult> {
  return bundleInto(tableOf(files), paths, {
    platform: "node",
    target: "node20",
    tsconfigRaw: {},
    loader: { ".txt": "text", ".md": "text", ".html": "text", ".sql": "text", ".bin": "binary", ".wasm": "empty" },
    banner: {
      js: `import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(${JSON.stringify(
        join(paths.root, "package.json"),
      )});`,
    },
    plugins: [resolution(paths), runtimeStubs],
  });
}

/** Bundles the same table with the options with which wrangler bundles the registry. `entry` is code that is added to the module. */
export async function bundleForWorkers(
  files: readonly string[],
  paths: BundlePaths,
  options: WorkerBundleOptions & { entry: string },
): Promise<BundleResult> {
  const { plugins = [], ...rest } = workerOptions(options);
  // The bundler resolves the imports of all files at the same time, and zod is bundled once for them.
  let zod: ReturnType<typeof bundleZod> | undefined;
  const bundle = await bundleInto(`${tableOf(files)}\n${options.entry}`, paths, {
    ...rest,
    plugins: [
      resolution(paths, (file) => (zod ??= bundleZod(file, { folder: dirname(paths.outputFile), options: rest }))),
      ...plugins,
    ],
  });
  const module = await zod;
  return bundle.type === "built" && module !== undefined ? { ...bundle, modules: [module] } : bundle;
}

function tableOf(files: readonly string[]): string {
  const table = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)}),`);
  return `export const load = {\n${table.join("\n")}\n};`;
}

async function bundleInto(contents: string, paths: BundlePaths, options: BuildOptions): Promise<BundleResult> {
  const shared = {
    ...options,
    stdin: { contents, resolveDir: paths.root, sourcefile: "definitions.js" },
    absWorkingDir: paths.root,
    outfile: paths.outputFile,
    write: false,
    bundle: true,
    format: "esm",
    logLevel: "silent",
    logLimit: 0,
    keepNames: true,
  } as const;
  try {
    const { metafile, outputFiles } = await build({ ...shared, metafile: true });
    const inputs = Object.keys(metafile.inputs).filter((path) => path !== "definitions.js");
    const code = textOf(outputFiles, ".mjs");
    const makeSourceMap = (): Promise<string | undefined> => sourceMapOf(code, shared);
    const runtimeImports = projectInputs(inputs, paths.root).flatMap((file) =>
      (metafile.inputs[file]?.imports ?? []).flatMap(({ path, original = "" }) =>
        path.startsWith("runtime-stub:") ? [{ file, specifier: original }] : [],
      ),
    );
    return { type: "built", code, modules: [], makeSourceMap, inputs, runtimeImports };
  } catch (error) {
    if (isBuildFailure(error)) return { type: "failed", errors: error.errors };
    throw error;
  }
}

/** Bundles again, with a source map. */
async function sourceMapOf(
  code: string,
  options: BuildOptions & { readonly write: false },
): Promise<string | undefined> {
  try {
    const { outputFiles } = await build({ ...options, sourcemap: "external", sourcesContent: false });
    return textOf(outputFiles, ".mjs") === code ? textOf(outputFiles, ".map") : undefined;
  } catch (error) {
    // A source was changed since it was bundled. The build of the change reports its errors.
    if (isBuildFailure(error)) return undefined;
    throw error;
  }
}

function textOf(files: readonly OutputFile[], end: ".map" | ".mjs"): string {
  return files.find((output) => output.path.endsWith(end))?.text ?? "";
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return isObject(error) && Array.isArray(error.errors);
}

/** The module of the entry `threadhold`: a source in the repository, a built file in the published package. */
function packageEntry(packageRoot: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  const exported = isObject(manifest) && isObject(manifest.exports) ? manifest.exports["."] : undefined;
  const file = isObject(exported) ? exported.default : exported;
  if (typeof file !== "string") throw new TypeError(`${packageRoot} is not the folder of the package threadhold.`);
  return join(packageRoot, file);
}

/** Bundles the zod of this package, whose main module is `file`. */
type ZodBundler = (file: string) => Promise<BundledZod | undefined>;

/** Resolves this package's modules and zod. Without a bundler of zod, the bundle shares zod with the compiler. */
function resolution(paths: BundlePaths, zodBundler?: ZodBundler): Plugin {
  const inner = { resolvedHere: true };
  const bundled = "bundled-zod";
  return {
    name: "threadhold-definitions",
    setup(bundler) {
      bundler.onResolve({ filter: /^(?:threadhold|@standardagents\/spec)$/ }, () => ({
        path: packageEntry(paths.packageRoot),
      }));
      bundler.onResolve({ filter: /^threadhold\// }, ({ path, pluginData }) =>
        pluginData === inner
          ? undefined
          : bundler.resolve(path, { resolveDir: paths.packageRoot, kind: "import-statement", pluginData: inner }),
      );
      bundler.onResolve({ filter: /^zod(?:\/|$)/ }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === inner) return undefined;
        const own = await bundler.resolve(path, { resolveDir, kind, pluginData: inner });
        const found =
          own.errors.length === 0
            ? own
            : await bundler.resolve(path, { resolveDir: paths.packageRoot, kind, pluginData: inner });
        if (found.errors.length > 0) return found;
        if (zodBundler === undefined) return { path: pathToFileURL(found.path).href, external: true };
        // A separate module is loaded at the start of the Worker. The Worker loads the zod of this package then anyway. Another zod is
        // loaded only with the first definition that imports it, so it stays in the bundle of the definitions.
        const packaged = await bundler.resolve("zod", { resolveDir: paths.packageRoot, kind, pluginData: inner });
        const isPackaged = path === "zod" && kind !== "require-call" && found.path === packaged.path;
        const zod = isPackaged ? await zodBundler(found.path) : undefined;
        return zod === undefined ? found : { path: found.path, namespace: bundled, pluginData: zod };
      });
      // The names are listed, so that the bundler finds an import of a name that zod lacks.
      bundler.onLoad({ filter: /.*/, namespace: bundled }, ({ pluginData }) => {
        const { name, exports } = pluginData as BundledZod;
        return { contents: `export { ${exports.join(", ")} } from "./${name}";`, loader: "js" };
      });
      bundler.onResolve({ filter: /.*/, namespace: bundled }, ({ path }) => ({ path, external: true }));
    },
  };
}

/** Loads a built-in module of Node at run time. A module that this Node lacks, such as `cloudflare:workers`, is replaced by a stub. */
const runtimeStubs: Plugin = {
  name: "threadhold-runtime-stubs",
  setup(bundler) {
    bundler.onResolve({ filter: runtimeModuleName }, ({ path }) => ({ path, namespace: "runtime-stub" }));
    // The module is imported as a value, because an import of a name that it lacks would prevent the whole bundle from loading.
    bundler.onLoad({ filter: /.*/, namespace: "runtime-stub" }, ({ path }) => ({
      contents: `${runtimeStubSource}\nmodule.exports = process.getBuiltinModule(${JSON.stringify(path)}) ?? stub;`,
      loader: "js",
    }));
  },
};

/** The bundle's sources that belong to the project, as paths from its root. */
export function projectInputs(inputs: readonly string[], root: string): string[] {
  return inputs.filter((path) => !path.includes(":") && !isAbsolute(path) && !outside(path, root)).toSorted();
}

function outside(path: string, root: string): boolean {
  const inside = relative(root, resolve(root, path));
  return inside.startsWith("..") || inside.split(/[\\/]/).includes("node_modules");
}

/** A source named in the bundle's source map, as a path from the root. */
export function mappedSource(source: string, paths: BundlePaths): string {
  return relative(paths.root, resolve(dirname(paths.outputFile), source)).replaceAll("\\", "/");
}

/**
 * CommonJS source of the stub of modules that exist only inside Workers (`cloudflare:*`): any property, at any depth, is the stub again.
 * The compiler only loads definitions, so the stub does not have to work.
 */
const runtimeStubSource = `
const hidden = new Set(["then", "toJSON", "__esModule"]);
const stub = new Proxy(class {}, {
  get(target, key) {
    if (key === "prototype") return target.prototype;
    if (key === Symbol.toPrimitive) return () => "";
    return typeof key === "symbol" || hidden.has(key) ? undefined : stub;
  },
  has: () => true,
  apply: () => stub,
  getPrototypeOf: () => stub,
});
module.exports = stub;
`;
