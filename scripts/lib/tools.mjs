import { fromRoot } from "./paths.mjs";

// The command files of the tools that scripts run. Running them with node directly is a second faster than npx and needs no shell.
export const tools = {
  knip: "node_modules/knip/bin/knip.js",
  oxfmt: "node_modules/oxfmt/bin/oxfmt",
  oxlint: "node_modules/oxlint/bin/oxlint",
  tsc: "node_modules/typescript/bin/tsc",
  vitest: "node_modules/vitest/vitest.mjs",
  wrangler: "node_modules/wrangler/bin/wrangler.js",
};

/** The paths that the linter checks. */
export const lintedPaths = [
  "src",
  "playground",
  "agents",
  "bench",
  "examples",
  "test",
  "scripts",
  "packages",
  "vitest.config.ts",
];

/** Compilers in Go collect garbage less often: a fifth of their processor time less, for some more memory. */
export const compilerEnvironment = { GOGC: "400" };

/** Options of TypeScript. Several checkers would each find the same types of the libraries, at twice the processor time. */
export const quickTypescript = ["--pretty", "false", "--checkers", "1"];

/** The environment of every wrangler process: no telemetry, no banner, no network request for a `cf` object. */
export const wranglerEnvironment = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
};

/** Keeps the compiled code of large modules, for this process's children and theirs. */
export function compileCacheEnvironment() {
  const { NODE_OPTIONS = "" } = process.env;
  return {
    NODE_OPTIONS: `${NODE_OPTIONS} --require=${JSON.stringify(fromRoot("scripts/lib/compile-cache.cjs"))}`.trim(),
  };
}
