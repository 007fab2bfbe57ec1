// The esbuild options of wrangler's bundle that decide whether a definition can be bundled: conditions, platform, loaders, the
// project's tsconfig, and the Node modules that workerd has.

import { builtinModules } from "node:module";

import type { BuildOptions, Loader, Plugin } from "esbuild";

import type { WranglerSettings } from "./wrangler-settings.ts";

export interface WorkerBundleOptions {
  settings: WranglerSettings;
  /** Called for each import of a module that workerd has to provide. */
  onRuntimeModule: (specifier: string, importer: string) => void;
}

const nodeNames = builtinModules.filter((name) => !name.startsWith("_"));

/** Matches the name of a module that the runtime provides. */
export const runtimeModuleName = new RegExp(`^(?:cloudflare:.*|node:.*|${nodeNames.join("|")})$`);

/** Wrangler's default module rules: text, bytes and WebAssembly become separate modules next to the bundle. */
const moduleLoaders: Record<string, Loader> = {
  ".txt": "text",
  ".html": "text",
  ".sql": "text",
  ".bin": "binary",
  ".wasm": "empty",
};

/** The options of a bundle for Workers. */
export function workerOptions({ settings, onRuntimeModule }: WorkerBundleOptions): BuildOptions {
  const added = settings.moduleExtensions.map((extension): [string, Loader] => [extension, "text"]);
  return {
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    target: "es2024",
    supported: { "import-source": true },
    define: { "process.env.NODE_ENV": '"development"' },
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx", ...moduleLoaders, ...Object.fromEntries(added) },
    plugins: [runtimeModules(onRuntimeModule)],
  };
}

/** Keeps imports of runtime modules unbundled, as wrangler does; a `require` of one becomes an import. */
function runtimeModules(onRuntimeModule: WorkerBundleOptions["onRuntimeModule"]): Plugin {
  const required = "required-runtime-module";
  return {
    name: "threadhold-runtime-modules",
    setup(bundler) {
      bundler.onResolve({ filter: runtimeModuleName }, ({ path, kind, importer, namespace }) => {
        if (kind === "require-call" && namespace !== required) return { path, namespace: required };
        const specifier = path.includes(":") ? path : `node:${path}`;
        onRuntimeModule(specifier, importer);
        return { path: specifier, external: true };
      });
      bundler.onLoad({ filter: /.*/, namespace: required }, ({ path }) => ({
        contents: `import found from ${JSON.stringify(path)};\nmodule.exports = found;`,
        loader: "js",
      }));
    },
  };
}
