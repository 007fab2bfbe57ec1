// The options of the plugin.

import type { cloudflareTest } from "@cloudflare/vitest-pool-workers";

type PoolOptions = Exclude<Parameters<typeof cloudflareTest>[0], (...args: never) => unknown>;

/** Options of the plugin. `wrangler` and `miniflare` are passed on to `@cloudflare/vitest-pool-workers`. */
export interface TestingOptions {
  /** The wrangler configuration, relative to the project's root, and its environment. Default: the project's `wrangler.*`. */
  wrangler?: PoolOptions["wrangler"];
  /** Options of miniflare, such as further bindings for tests. */
  miniflare?: PoolOptions["miniflare"];
  /**
   * The hosts that code under test may send HTTP requests to, such as `["localhost:8080", "*.example.com"]`, or `true` for the whole
   * network, with sockets. MCP servers and OpenAPI documents are scripted or off in any case. Default: none.
   */
  network?: boolean | readonly string[];
}
