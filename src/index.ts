// The composition root: builds the Worker and the thread's object from their layers. The only file that sees all of them.

import { diagnostics } from "#generated/diagnostics.ts";
import { registry } from "#generated/registry.ts";

import { compose } from "./compose.ts";
import type { Environment } from "./environment.ts";

const { ThreadObject, ThreadFeed, fetch } = compose(registry, diagnostics);

export { ThreadFeed, ThreadObject };

export default { fetch } satisfies ExportedHandler<Environment>;
