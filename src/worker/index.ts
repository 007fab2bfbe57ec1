// The public entry `threadhold/worker`: builds a Worker from the registry that the compiler writes.

export { createThreadhold } from "./create-threadhold.ts";
export type { DurableObjectClass, Threadhold } from "./create-threadhold.ts";
export type { ThreadholdOptions } from "./threadhold-options.ts";
export type { ThreadholdBindings } from "./bindings.ts";
export type { Identity } from "#http/auth/own-authentication.ts";
