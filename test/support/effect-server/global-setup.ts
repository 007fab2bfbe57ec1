// Starts the effect server once for a whole test run, in Node, and tells the tests where it listens:
// `inject("effectServer")`. FAULTS and FAULT_SEED are read here, because tests inside the Workers runtime see no environment.

import process from "node:process";

import type { TestProject } from "vitest/node";

import { startEffectServer, type EffectServer } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the effect server listens. */
    effectServer: string;
    /** Whether every death is tried, and what those that are follow from. */
    faults: { all: boolean; seed: number };
  }
}

let server: EffectServer | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  server = await startEffectServer();
  project.provide("effectServer", server.url);
  const all = process.env["FAULTS"] === "all";
  const seed = Number(process.env["FAULT_SEED"] ?? Math.floor(Math.random() * 1_000_000));
  console.log(`faults: ${all ? "all" : `FAULT_SEED=${seed}`}`);
  project.provide("faults", { all, seed });
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await server?.close();
}
