// Starts the model server once for a whole test run, in Node, and provides its address to the tests:
// `inject("modelServer")`. RECORDED_DIR and MODEL_SERVER_SEED are read here, because tests inside the Workers runtime
// have no environment variables.

import process from "node:process";

import type { TestProject } from "vitest/node";

import { startModelServer, type ModelServer } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the model server. */
    modelServer: string;
    /** The seed of the offsets at which answers are cut into pieces. */
    modelServerSeed: number;
  }
}

let server: ModelServer | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const { MODEL_SERVER_SEED: seed, RECORDED_DIR: recordedDir } = process.env;
  server = await startModelServer({
    recordedDir: recordedDir ?? null,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
  console.log(`model server at ${server.url}, MODEL_SERVER_SEED=${server.seed}`);
  project.provide("modelServer", server.url);
  project.provide("modelServerSeed", server.seed);
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await server?.close();
}
