// The Worker's entry: the deployment that `compose.ts` builds from the compiled definitions of `agents/`.

import { diagnostics } from "#generated/diagnostics.ts";
import { registry } from "#generated/registry.ts";

import { compose } from "./compose.ts";
import type { Environment } from "./environment.ts";

const { ThreadObject, ThreadFeed, fetch } = compose(registry, diagnostics);

export { ThreadFeed, ThreadObject };

export default { fetch } satisfies ExportedHandler<Environment>;
