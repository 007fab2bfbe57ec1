// "threads" and "together" run inside the Workers runtime next to the objects that they test. The files of each share one runtime,
// because a runtime of its own takes 0.8 processor seconds a file. An object and a test wait for each other by a crossing
// (test/worker/crossing.ts), because a wait for a native promise may continue in another object's context. "alone" and "golden" have a
// runtime for each file. The projects of test/node.config.ts run outside of the Workers runtime.
// `test/AGENTS.md` has the rules for new tests.
import { fileURLToPath } from "node:url";

import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

import { threadhold } from "#testing/vite/index.ts";

import { alsoInNode, chaiConfig, fixtures, groupOrders, nodeProjects, resolve, shown } from "./test/node.config.ts";
import type {} from "./test/support/model-server/global-setup.ts";
import { leadToSource, runtimeModules, setupFiles } from "./test/support/runtime-modules/plugin.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether requests take none of the pool's detours (test/worker/quick-pool.ts). */
    quickPool: boolean;
    /** The seed of property tests that wait. At its time limit a test reports no seed by itself, so the title has it. */
    seed: number;
  }
}

/** `SEED` plays a failed property test again. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** Property tests, and tests of thousands of calls, take longer than the five seconds of the default on two shared cores. */
const testTimeout = 100_000;

const fromRoot = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Left out with FAULTS=none: `.ci/run` plays all faults in steps of their own. */
const faultTests = ["test/thread/every-fault.test.ts", "test/thread/child-crash.test.ts"];

const exclude = [...fixtures, ...(process.env["FAULTS"] === "none" ? faultTests : [])];

/** Packages of tests alone, each loaded as one module. What `src` uses is in the bundle. */
const dependencies = ["fast-check"];

const bundled = runtimeModules(resolve.alias);

/** Files that empty the catalog's database, which others rely on. */
const alone = ["test/store/catalog-schema.test.ts", "test/store/d1-catalog.test.ts", "test/http/usage.test.ts"];

interface RuntimeProject {
  include: string[];
  exclude?: string[];
  isolate?: boolean;
  quickPool?: boolean;
  groupOrder?: number;
}

const inRuntime = (
  name: string,
  { include, exclude: others = [], isolate = true, quickPool = true, groupOrder = 0 }: RuntimeProject,
) => ({
  resolve,
  plugins: [
    bundled,
    cloudflareTest(({ inject }) => ({
      wrangler: { configPath: fromRoot("./test/wrangler.test.jsonc") },
      // The runtime's own binding for models. Its requests reach the model server, in place of a Cloudflare account.
      miniflare: { ai: { binding: "AI", remoteProxyConnectionString: new URL(inject("modelServer")) } },
    })),
  ],
  test: {
    name,
    // Servers on this machine, one that answers as the providers do, one that misbehaves and one that counts: tests
    // inside the runtime make real fetches to them.
    globalSetup: [
      fromRoot("./test/support/model-server/global-setup.ts"),
      fromRoot("./test/support/outbound-server/global-setup.ts"),
      fromRoot("./test/support/effect-server/global-setup.ts"),
      fromRoot("./test/support/mcp-server/global-setup.ts"),
      fromRoot("./test/support/api-server/global-setup.ts"),
      fromRoot("./test/support/collector/global-setup.ts"),
      fromRoot("./test/support/webhook-receiver/global-setup.ts"),
      fromRoot("./test/golden/global-setup.ts"),
    ],
    exclude: [...exclude, ...others],
    setupFiles: setupFiles.map((file) => fromRoot(`./${file}`)),
    onStackTrace: leadToSource,
    deps: { optimizer: { ssr: { enabled: true, include: dependencies } } },
    testTimeout,
    chaiConfig,
    include,
    isolate,
    provide: { quickPool, seed },
    sequence: { groupOrder },
  },
});

/** The demo agents, tested as a project tests its own. */
const agents = {
  resolve,
  plugins: [
    bundled,
    threadhold({
      // The rules of test/wrangler.test.jsonc: the runtime loads the bundle from its file.
      miniflare: {
        modulesRules: [
          { type: "ESModule", include: ["**/.cache/runtime-modules/**/*.mjs"], fallthrough: true },
          { type: "Text", include: ["**/*.sql"], fallthrough: true },
        ],
      },
    }),
  ],
  test: {
    name: "agents",
    exclude,
    include: ["test/testing/**/*.test.ts"],
    onStackTrace: leadToSource,
    testTimeout,
  },
};

export default defineConfig({
  test: {
    ...shown,
    projects: [
      inRuntime("alone", { include: alone }),
      inRuntime("golden", { include: ["test/golden/**/*.test.ts"], quickPool: false }),
      inRuntime("threads", { include: ["test/thread/**/*.test.ts"], isolate: false, groupOrder: groupOrders.threads }),
      inRuntime("together", {
        include: [
          "test/{lib,core,store,http,dialect,flow,contract,models,standard-agents,surfaces,tools}/**/*.test.ts",
        ],
        exclude: [...alone, ...alsoInNode],
        isolate: false,
        groupOrder: groupOrders.together,
      }),
      agents,
      ...nodeProjects,
    ],
  },
});
