// The entry of this repository's own Worker, which serves the definitions in `agents/`.

import { diagnostics } from "#generated/diagnostics.ts";
import { registry } from "#generated/registry.ts";
import { createThreadhold } from "#worker/index.ts";
import type { ThreadholdBindings } from "#worker/index.ts";

const { ThreadObject, ThreadFeed, fetch } = createThreadhold(registry, { diagnostics });

export { ThreadFeed, ThreadObject };

export default { fetch } satisfies ExportedHandler<ThreadholdBindings>;
