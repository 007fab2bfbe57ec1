// Builds a Worker from a project's registry: the fetch handler and the classes of the Durable Objects.

import type { Registry } from "#spec/index.ts";

import type { ThreadholdBindings } from "./bindings.ts";
import { compose } from "./compose.ts";
import type { ThreadholdOptions } from "./threadhold-options.ts";

/** The class of a Durable Object, for the Worker to export. */
export type DurableObjectClass = new (state: DurableObjectState, env: ThreadholdBindings) => DurableObject;

/** The parts of a Worker. A Worker exports `ThreadObject` and `ThreadFeed` under these names, because its bindings refer to them. */
export interface Threadhold {
  /** A conversation. */
  ThreadObject: DurableObjectClass;
  /** The feed of a user: the changes of all threads that the user owns. */
  ThreadFeed: DurableObjectClass;
  /** Answers a request. Never rejects. */
  fetch: (request: Request, env: ThreadholdBindings, context: ExecutionContext) => Promise<Response>;
}

/**
 * Builds the Worker of a project. Call it once, at the top of the Worker's main module; it makes no request and reads no variable. Throws a
 * `TypeError` for a prefix or a path of the playground that is no path.
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
export function createThreadhold(registry: Registry, options: ThreadholdOptions = {}): Threadhold {
  return compose(registry, options);
}
