// The command files of the tools we start. Starting them with node directly saves npx's second and a shell.
export const tools = {
  knip: "node_modules/knip/bin/knip.js",
  oxfmt: "node_modules/oxfmt/bin/oxfmt",
  oxlint: "node_modules/oxlint/bin/oxlint",
  tsc: "node_modules/typescript/bin/tsc",
  vitest: "node_modules/vitest/vitest.mjs",
  wrangler: "node_modules/wrangler/bin/wrangler.js",
};

/** Everything the linter looks at; it is always given paths. */
export const lintedPaths = ["src", "playground", "agents", "bench", "examples", "test", "scripts", "vitest.config.ts"];

/** What every wrangler of ours runs with: no telemetry, no banner, no request to the network for a `cf` object. */
export const wranglerEnvironment = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
};
