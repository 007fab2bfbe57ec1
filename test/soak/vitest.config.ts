// The soak suites: minutes long, so no part of `npm test`. `npm run soak` runs them, and `.ci/run` does.
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "soak",
    root: fileURLToPath(new URL("../..", import.meta.url)),
    environment: "node",
    include: ["test/soak/**/*.test.ts"],
    fileParallelism: false,
    // What a suite prints is its progress, line by line.
    disableConsoleIntercept: true,
    testTimeout: 60_000,
    hookTimeout: 900_000,
  },
});
