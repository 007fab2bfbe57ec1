// A Durable Object that owns nothing: tests of the storage layer borrow its SQLite through `runInDurableObject`. It does
// no work of its own, so whatever a test finds in its storage the test itself put there.

import { DurableObject } from "cloudflare:workers";

/** An object with storage and no behaviour. */
export class BareObject extends DurableObject {}
