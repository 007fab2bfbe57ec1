// A complete project, which tests of commands change.

import { join } from "node:path";

import { good, packageRoot, type Files } from "../compiler/temporary-project.ts";

/** A folder whose projects use the wrangler of this repository. */
export const inRepository = join(packageRoot, ".cache/doctor");

export const toml = `name = "app"
main = ".threadhold/worker.ts"
compatibility_date = "2026-04-01"
compatibility_flags = ["nodejs_compat", "global_fetch_strictly_public", "enable_request_signal"]
[build]
command = "npx threadhold build --auto"
watch_dir = ["agents", ".cache/types/findings.json"]
[[durable_objects.bindings]]
name = "THREADS"
class_name = "ThreadObject"
[[durable_objects.bindings]]
name = "FEEDS"
class_name = "ThreadFeed"
[[migrations]]
tag = "threadhold-v1"
new_sqlite_classes = ["ThreadObject", "ThreadFeed"]
[[d1_databases]]
binding = "CATALOG"
database_name = "threads"
database_id = "00000000-0000-0000-0000-000000000000"
migrations_dir = "../../../migrations/catalog"
`;

/** Files of a project in which the command doctor finds nothing to mend. */
export const complete: Files = {
  ...good,
  "wrangler.toml": toml,
  ".dev.vars": "OPEN_LOOPBACK=true\n",
  ".env": "X_LOCAL_EXPLORER=false\n",
};
