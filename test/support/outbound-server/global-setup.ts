// Starts the outbound server once for a whole test run, in Node, and provides its address to the tests:
// `inject("outboundServer")`.

import type { TestProject } from "vitest/node";

import type { TestServer } from "../record-server.d.mts";
import { startOutboundServer } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the outbound server. */
    outboundServer: string;
  }
}

let server: TestServer | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  server = await startOutboundServer();
  project.provide("outboundServer", server.url);
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await server?.close();
}
