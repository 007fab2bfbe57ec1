// The soak suites. They take minutes, so they are not part of `npm test`; `npm run soak` and `.ci/run` run them.
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "soak",
    root: fileURLToPath(new URL("../..", import.meta.url)),
    environment: "node",
    include: ["test/soak/**/*.test.ts"],
    fileParallelism: false,
    // The suites print their progress line by line.
    disableConsoleIntercept: true,
    testTimeout: 240_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 100_000 } },
  },
});
