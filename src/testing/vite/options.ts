// The options of the plugin.

import type { cloudflareTest } from "@cloudflare/vitest-pool-workers";

type PoolOptions = Exclude<Parameters<typeof cloudflareTest>[0], (...args: never) => unknown>;

/** Options of the plugin. They are passed on to `@cloudflare/vitest-pool-workers`. */
export interface TestingOptions {
  /** The wrangler configuration, relative to the project's root, and its environment. Default: the project's `wrangler.*`. */
  wrangler?: PoolOptions["wrangler"];
  /** Options of miniflare, such as further bindings for tests. */
  miniflare?: PoolOptions["miniflare"];
}
