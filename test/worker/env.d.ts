// The bindings of the test Worker, for `env` in tests.

import type { D1Migration } from "cloudflare:test";

import type * as worker from "./index.ts";

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof worker;
    }

    interface Env {
      THREADS: DurableObjectNamespace;
      FEEDS: DurableObjectNamespace;
      BARE: DurableObjectNamespace;
      CATALOG: D1Database;
      CATALOG_MIGRATIONS: D1Migration[];
    }
  }
}
