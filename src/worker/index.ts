// The public entry `threadhold/worker`: builds a Worker from the registry that the compiler writes.

export { createThreadhold } from "./create-threadhold.ts";
export type { DurableObjectClass, Threadhold, ThreadholdOptions } from "./create-threadhold.ts";
export type { ThreadholdBindings } from "./bindings.ts";
