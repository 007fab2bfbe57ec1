// The test projects outside of the Workers runtime. They have a configuration of their own, because it takes a processor second to load the
// pool of that runtime. vitest.config.ts has these projects and those inside the runtime.
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

/**
 * For tests that start programs: compilers, bundlers and servers, several at once on two shared cores. It is longer than `patience` of the
 * tests, whose error names what did not happen.
 */
const programTimeout = 240_000;

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Fixtures are material for tests, never tests themselves. */
export const fixtures = ["**/node_modules/**", "**/fixtures/**"];

/** Wrangler does not read Vite's alias, so the name is given to both. */
export const resolve = { alias: { "@standardagents/spec": fromRoot("src/spec/index.ts") } };

/** Tests that run in Node, in folders whose other tests run in the Workers runtime. */
export const alsoInNode = ["test/tools/node/**/*.test.ts", "test/surfaces/in-node.test.ts"];

/** Deploys to a local server of Cloudflare's API. They start wrangler many times, and `npm run test:commands` runs them. */
const deploys = ["test/cli/deploy.test.ts", "test/cli/deploy-secrets.test.ts"];

/** Tests that start several servers, or wrangler, in projects of their own. `npm run test:commands` runs them. */
const commands = [
  "test/e2e/dev-command.test.ts",
  "test/e2e/dev-console.test.ts",
  "test/e2e/existing-worker.test.ts",
  "test/e2e/many-changes.test.ts",
  "test/e2e/plain-wrangler.test.ts",
  "test/e2e/restore-catalog.test.ts",
  "test/e2e/standard-agents.test.ts",
  "test/e2e/user-project.test.ts",
];

/** Waits up to 40 seconds for each lease of a client that left, and hardly computes. */
const waitsForPings = "test/e2e/places.test.ts";

/** The longest file. Its tests use one server, and wait for it and its reloads. */
const open = "test/e2e/open-server.test.ts";

/**
 * The order in which vitest runs the projects whose files share a worker; other projects have the order 0. With one worker, vitest makes
 * one task of all files of a project only if no other project has the same order. Separate tasks take up to half a processor second a file.
 */
export const groupOrders = { threads: 1, together: 2, node: 3 };

/** The message of a failed assertion contains the values, since the report of a gate has messages alone. */
export const chaiConfig = { truncateThreshold: 400 };

const inNode = (
  name: string,
  include: string[],
  { isolate, groupOrder = 0, others = [] }: { isolate: boolean; groupOrder?: number; others?: string[] },
) => ({
  // The playground imports `threadhold/client` and `threadhold/react`, and its manifest is not the one that exports them.
  resolve: { ...resolve, tsconfigPaths: true },
  test: {
    name,
    environment: "node" as const,
    exclude: [...fixtures, ...others],
    include,
    isolate,
    testTimeout: programTimeout,
    hookTimeout: programTimeout,
    chaiConfig,
    sequence: { groupOrder },
  },
});

const outside = (name: string, include: string[], others: string[] = []) => ({
  resolve,
  test: {
    name,
    environment: "node" as const,
    globalSetup: fromRoot("test/e2e/support/migrated-state.ts"),
    exclude: [...fixtures, ...others],
    include,
    fileParallelism: false,
    testTimeout: programTimeout,
    hookTimeout: programTimeout,
    chaiConfig,
    expect: { poll: { timeout: 100_000 } },
  },
});

/** Files of "client" replace globals of a browser. The files from "e2e" on drive real processes, one file at a time. */
export const nodeProjects = [
  inNode("node", ["test/{cli,compiler,spec,scripts,lint,host,session,facade,ui}/**/*.test.ts", ...alsoInNode], {
    isolate: false,
    groupOrder: groupOrders.node,
    others: deploys,
  }),
  inNode("deploys", deploys, { isolate: true }),
  inNode("client", ["test/client/**/*.test.ts"], { isolate: true }),
  outside("e2e", ["test/e2e/**/*.test.ts"], [waitsForPings, open, ...commands]),
  outside("open", [open]),
  outside("pings", [waitsForPings]),
  outside("commands", commands),
  outside("playground", ["test/browser/*.test.ts"]),
];

/** What a test printed is shown when it failed. */
export const shown = { silent: "passed-only" as const, slowTestThreshold: 5000 };

export default defineConfig({ test: { root: fromRoot("."), ...shown, projects: nodeProjects } });
