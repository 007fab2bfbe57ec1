// Starts the receiver of webhooks once for a whole test run, in Node, and provides its address to the tests: `inject("webhookReceiver")`.

import type { TestProject } from "vitest/node";

import type { TestServer } from "../record-server.d.mts";
import { startWebhookReceiver } from "./server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the receiver of webhooks. */
    webhookReceiver: string;
  }
}

let receiver: TestServer | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  receiver = await startWebhookReceiver();
  project.provide("webhookReceiver", receiver.url);
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await receiver?.close();
}
