// Builds a Worker from a project's registry: the fetch handler and the classes of the Durable Objects.

import type { Diagnostic, Registry } from "#spec/index.ts";

import { compose } from "./compose.ts";

/** Options of `createThreadhold`. */
export interface ThreadholdOptions {
  /** The findings of the build, from `.threadhold/diagnostics.ts`. `/healthz` and the playground show them. Default: none. */
  diagnostics?: readonly Diagnostic[];
}

/** The parts of a Worker. A Worker exports `ThreadObject` and `ThreadFeed` under these names, because its bindings refer to them. */
export type Threadhold = ReturnType<typeof createThreadhold>;

/**
 * Builds the Worker of a project. Call it once, at the top of the Worker's main module; it makes no request and reads no variable.
 *
 * ```ts
 * import { createThreadhold } from "threadhold/worker";
 * import { registry } from "./.threadhold/registry.ts";
 *
 * const threadhold = createThreadhold(registry);
 * export const { ThreadObject, ThreadFeed } = threadhold;
 * export default { fetch: threadhold.fetch };
 * ```
 */
export function createThreadhold(registry: Registry, { diagnostics = [] }: ThreadholdOptions = {}) {
  return compose(registry, diagnostics);
}
