// The example pages, built by Vite and served in front of a test's server.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { build, preview } from "vite";

import { examplePages } from "../../../examples/serve.mjs";

/** A running server of the example pages. */
export interface ExampleSite {
  url: string;
  close: () => Promise<void>;
}

/** Builds the pages and serves them. Requests to the API go to `worker`. */
export async function startExampleSite(worker: string): Promise<ExampleSite> {
  const outDir = mkdtempSync(path.join(tmpdir(), "threadhold-examples-"));
  const config = examplePages(worker);
  const options = { ...config, logLevel: "warn" as const, build: { ...config.build, outDir, emptyOutDir: true } };
  await build(options);
  const server = await preview(options);
  return {
    url: server.resolvedUrls?.local[0] ?? "",
    close: async () => {
      await server.close();
      rmSync(outDir, { recursive: true, force: true });
    },
  };
}
