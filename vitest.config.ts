// "together" run inside the Workers runtime next to the object they test, with one runtime for all; "node" run outside of it, with
// the modules of a process for all; files of "client" replace globals of a browser, and each has a process of its own. "workers"
// are files whose objects wait for a promise of the test. Each has a runtime of its own, which takes 0.8 processor seconds a file:
// after V8 has optimised a function, the promises that it creates lose their object, and work that waits for such a promise goes on
// in the context that resolves it. One file does not run long enough for that. "e2e" and "browser" drive real processes, one
// file at a time. CONTRIBUTING.md says what new tests keep in mind.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

import { leadToSource, runtimeModules, setupFiles } from "./test/support/runtime-modules/plugin.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether requests take none of the pool's detours (test/worker/quick-pool.ts). */
    quickPool: boolean;
  }
}

/** Property tests on two shared cores take longer than the five seconds of the default. */
const testTimeout = 30_000;

const fromRoot = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Fixtures are material for tests, never tests themselves.
const exclude = ["**/node_modules/**", "**/fixtures/**"];

// Vite does not read wrangler's alias, so the name is given to both.
const resolve = { alias: { "@standardagents/spec": fromRoot("./src/spec/index.ts") } };

/** Packages of tests alone, each loaded as one module. What `src` uses is in the bundle. */
const dependencies = ["fast-check"];

const bundled = runtimeModules(resolve.alias);

/** Names of test/worker and of helpers whose promises objects wait for, and promises that a test creates itself. */
const waits =
  /\b(?:atPlaces|busy|door|gate|hanging|midway|panelBehind|passing|planFaults|speaking|withResolvers|new Promise)\b/;

/** Files whose objects wait for a promise of the test. */
const waiting = readdirSync(fromRoot("./test/thread"))
  .filter((file) => file.endsWith(".test.ts") && waits.test(readFileSync(fromRoot(`./test/thread/${file}`), "utf8")))
  .map((file) => `test/thread/${file}`);

/** Files that empty the catalog's database, which others rely on. */
const alone = ["test/store/catalog-schema.test.ts", "test/store/d1-catalog.test.ts", "test/http/usage.test.ts"];

interface RuntimeProject {
  include: string[];
  exclude?: string[];
  isolate?: boolean;
  quickPool?: boolean;
}

const inRuntime = (
  name: string,
  { include, exclude: others = [], isolate = true, quickPool = true }: RuntimeProject,
) => ({
  resolve,
  plugins: [bundled, cloudflareTest({ wrangler: { configPath: fromRoot("./test/wrangler.test.jsonc") } })],
  test: {
    name,
    // Servers on this machine, one that answers as the providers do, one that misbehaves and one that counts: tests
    // inside the runtime make real fetches to them.
    globalSetup: [
      fromRoot("./test/support/model-server/global-setup.ts"),
      fromRoot("./test/support/outbound-server/global-setup.ts"),
      fromRoot("./test/support/effect-server/global-setup.ts"),
      fromRoot("./test/golden/global-setup.ts"),
    ],
    exclude: [...exclude, ...others],
    setupFiles: setupFiles.map((file) => fromRoot(`./${file}`)),
    onStackTrace: leadToSource,
    deps: { optimizer: { ssr: { enabled: true, include: dependencies } } },
    testTimeout,
    include,
    isolate,
    provide: { quickPool },
    sequence: { groupOrder: 0 },
  },
});

const inNode = (name: string, include: string[], { isolate }: { isolate: boolean }) => ({
  resolve,
  test: {
    name,
    environment: "node" as const,
    exclude,
    include,
    isolate,
    testTimeout,
    sequence: { groupOrder: 1 },
  },
});

const outside = (name: string, include: string[]) => ({
  resolve,
  test: {
    name,
    environment: "node" as const,
    globalSetup: fromRoot("./test/e2e/support/migrated-state.ts"),
    exclude,
    include,
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { groupOrder: 2 },
  },
});

export default defineConfig({
  test: {
    // What a test printed is shown when it failed.
    silent: "passed-only",
    slowTestThreshold: 5000,
    projects: [
      inRuntime("workers", { include: [...waiting, ...alone] }),
      inRuntime("golden", { include: ["test/golden/**/*.test.ts"], quickPool: false }),
      inRuntime("together", {
        include: ["test/{lib,core,store,http,dialect,flow,contract,models,standard-agents,thread}/**/*.test.ts"],
        exclude: [...waiting, ...alone],
        isolate: false,
      }),
      inNode("node", ["test/{cli,compiler,spec,scripts,lint,host,session,ui}/**/*.test.ts"], { isolate: false }),
      inNode("client", ["test/client/**/*.test.ts"], { isolate: true }),
      outside("e2e", ["test/e2e/**/*.test.ts"]),
      outside("browser", ["test/browser/**/*.test.ts"]),
    ],
  },
});
