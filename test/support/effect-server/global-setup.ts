// Starts the effect server once for a whole test run, in Node, and provides its address to the tests:
// `inject("effectServer")`. FAULTS and FAULT_SEED are read here, because tests inside the Workers runtime have no
// environment variables.

import process from "node:process";

import type { TestProject } from "vitest/node";

import type { TestServer } from "../record-server.d.mts";
import { startEffectServer } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the effect server. */
    effectServer: string;
    /** Whether every crash is tested; otherwise the seed that selects some of them. */
    faults: { all: boolean; seed: number };
  }
}

let server: TestServer | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  server = await startEffectServer();
  project.provide("effectServer", server.url);
  const faults = process.env["FAULTS"] ?? "some";
  if (!["some", "all", "none"].includes(faults)) throw new Error(`FAULTS is "${faults}", not "all" or "none"`);
  const all = faults === "all";
  const seed = Number(process.env["FAULT_SEED"] ?? Math.floor(Math.random() * 1_000_000));
  console.log(`faults: ${all ? "all" : `FAULT_SEED=${seed}`}`);
  project.provide("faults", { all, seed });
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await server?.close();
}
