// Starts the API server once for a whole test run, in Node, and provides its address to the tests: `inject("apiServer")`.

import type { TestProject } from "vitest/node";

import { startApiServer } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the API server. */
    apiServer: string;
  }
}

let close = async () => {};

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const server = await startApiServer();
  close = server.close;
  project.provide("apiServer", server.url);
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await close();
}
