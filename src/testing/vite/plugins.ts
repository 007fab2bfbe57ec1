// Sets vitest up for a project: compiles its definitions, generates the main module of the test Worker, and runs the tests inside the
// runtime by `@cloudflare/vitest-pool-workers`. All of that waits until a test of the project runs.

import path from "node:path";

import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import type { Plugin } from "vitest/config";

import { blockedNetwork, hostsOf } from "./blocked-network.ts";
import type { TestingOptions } from "./options.ts";
import { isInstalled, prepareProject, testModule } from "./prepare-project.ts";
import { quietRuntime } from "./quiet-runtime.ts";

/**
 * Packages that are bundled once, in place of hundreds of modules that the runtime loads one by one, some of which it cannot load from a
 * path with spaces. Tests and definitions share them, so that each module exists once.
 */
const packages = [
  "threadhold",
  "threadhold/client",
  "threadhold/session",
  "threadhold/testing",
  "threadhold/tools/openapi",
  "threadhold/worker",
  "zod",
];

/** Creates the plugins. */
export function createPlugins({ wrangler, miniflare, network = false }: TestingOptions): Plugin[] {
  const hosts = hostsOf(network);
  let root = process.cwd();
  let prepared: ReturnType<typeof prepareProject> | null = null;
  const pool = cloudflareTest(async () => {
    quietRuntime();
    prepared ??= prepareProject(root, { wrangler, network: hosts });
    const { main, configPath } = await prepared;
    return {
      main,
      wrangler: { ...wrangler, configPath },
      // Tests need no account.
      remoteBindings: false,
      miniflare: { ...(hosts === true ? {} : { outboundService: blockedNetwork(hosts) }), ...miniflare },
    };
  });
  return [
    {
      name: "threadhold:testing",
      config(config) {
        root = path.resolve(config.root ?? root);
        return {
          test: {
            setupFiles: [path.join(root, testModule)],
            ...(isInstalled(root) ? { deps: { optimizer: { ssr: { enabled: true, include: packages } } } } : {}),
            // The first test of a file waits for the modules of the Worker.
            testTimeout: config.test?.testTimeout ?? 30_000,
          },
        };
      },
      configureServer({ watcher }) {
        const agents = path.join(root, "agents") + path.sep;
        watcher.on("all", (_event, file) => {
          if (path.resolve(file).startsWith(agents)) prepared = null;
        });
      },
    },
    pool,
  ];
}
