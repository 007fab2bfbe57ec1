// The types of the methods that a thread's object offers by name (`thread-object.ts`). A method reaches the thread's data only
// through `thread()`, which refuses a caller without access: no method lacks the check.

import type { PeerMethods } from "#core/rpc/thread-peer.ts";
import type { Caller, ThreadMethods } from "#core/rpc/thread-rpc.ts";

import type { CreateContext } from "./create-thread.ts";
import type { OpenThread } from "./loaded-thread.ts";

/** Every method that the Worker or another thread calls. */
type Methods = ThreadMethods & PeerMethods;

export type MethodName = keyof Methods;

/** A call of a method: its caller, and access to the thread of the object. */
export interface MethodCall {
  caller: Caller;
  /** Returns the loaded thread. Refuses with `thread_not_found` a thread that does not exist or that the caller may not access. */
  thread: () => OpenThread;
  /**
   * Runs work that creates the thread. Creations run one at a time: the work awaits hooks, and a repeated request has to find the
   * thread that the first request created.
   */
  create: <T>(work: (context: CreateContext) => Promise<T>) => Promise<T>;
  /** Deletes the thread. Calls that come while it is being deleted wait for the same deletion. */
  remove: (byParent: boolean) => Promise<void>;
}

/** Implements one method. Throws a `ThreadholdError` to refuse. */
type MethodHandler<M extends MethodName> = (
  call: MethodCall,
  ...input: Parameters<Methods[M]>
) => ReturnType<Methods[M]> | Promise<ReturnType<Methods[M]>>;

/** The handlers of some methods, by name. Each file of methods exports one group. The compiler checks that no method is missing. */
export type MethodGroup<Names extends MethodName> = { readonly [M in Names]: MethodHandler<M> };
