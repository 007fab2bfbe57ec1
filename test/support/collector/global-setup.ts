// Starts the collector of traces once for a whole test run, in Node, and provides its address to the tests: `inject("collector")`.

import type { TestProject } from "vitest/node";

import type { TestServer } from "../record-server.d.mts";
import { startCollector } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the collector of traces. */
    collector: string;
  }
}

let collector: TestServer | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  collector = await startCollector();
  project.provide("collector", collector.url);
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await collector?.close();
}
