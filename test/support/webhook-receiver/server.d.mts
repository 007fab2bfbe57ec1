// The types of this server, for tests written in TypeScript.

import type { TestServer } from "../record-server.d.mts";

/** Starts a receiver on a free port of the loopback. */
export declare function startWebhookReceiver(): Promise<TestServer>;
