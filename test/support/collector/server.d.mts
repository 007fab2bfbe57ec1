// The types of this server, for tests written in TypeScript.

import type { TestServer } from "../record-server.d.mts";

/** Starts a collector on a free port of the loopback. */
export declare function startCollector(): Promise<TestServer>;
