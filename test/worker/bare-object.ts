// A Durable Object without behaviour: tests of the storage layer use its SQLite through `runInDurableObject`. It writes
// nothing by itself, so everything in its storage comes from the test.

import { DurableObject } from "cloudflare:workers";

/** An object with storage and no behaviour. */
export class BareObject extends DurableObject {}
