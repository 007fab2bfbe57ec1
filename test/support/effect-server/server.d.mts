// The types of this server, for tests written in TypeScript.

import type { TestServer } from "../record-server.d.mts";

/** Starts a server on a free port of the loopback. */
export declare function startEffectServer(): Promise<TestServer>;
