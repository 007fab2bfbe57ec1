// Tests of the packed packages. They install packages from the registry and take minutes, so they are not part of `npm test`;
// `npm run test:package` and `.ci/run` run them.
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "package",
    root: fileURLToPath(new URL("../..", import.meta.url)),
    environment: "node",
    include: ["test/package/*.test.ts"],
    globalSetup: fileURLToPath(new URL("packed.ts", import.meta.url)),
    // The tests mostly wait for programs. They share nothing but folders that they do not change, so one process can run many files.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 100_000 } },
  },
});
