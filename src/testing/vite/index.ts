// The public entry `threadhold/testing/vite`: the plugin for `vitest.config.ts`.

import type { Plugin } from "vitest/config";

import type { TestingOptions } from "./options.ts";
import { createPlugins } from "./plugins.ts";

export type { TestingOptions };

/**
 * Runs tests inside the Workers runtime, next to the project's threads. Before the tests, `agents/` is compiled; an error of a definition
 * fails the tests.
 *
 * ```ts
 * import { threadhold } from "threadhold/testing/vite";
 * import { defineConfig } from "vitest/config";
 *
 * export default defineConfig({ plugins: [threadhold()] });
 * ```
 */
export function threadhold(options: TestingOptions = {}): Plugin[] {
  return createPlugins(options);
}
