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
export const lintedPaths = ["src", "playground", "agents", "bench", "examples", "test", "scripts", "vitest.config.ts"];

/** The environment of every wrangler process: no telemetry, no banner, no network request for a `cf` object. */
export const wranglerEnvironment = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
};
