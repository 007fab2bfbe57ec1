// The types of the methods that a thread's object offers by name (`thread-object.ts`). A method reaches the thread's data only
// through `thread()`, which refuses a caller without access: a method cannot forget the check.

import type { PeerMethods } from "#core/thread-peer.ts";
import type { Caller, ThreadMethods } from "#core/thread-rpc.ts";

import type { OpenThread } from "../open-thread.ts";
import type { CreateContext } from "./create-thread.ts";

/** Every method that the Worker or another thread calls. */
type Methods = ThreadMethods & PeerMethods;

/** The name of a method. */
export type MethodName = keyof Methods;

/** One call of a method: its caller and the object it was made on. */
export interface MethodCall {
  caller: Caller;
  /** Returns the loaded thread. Refuses with `thread_not_found` a thread that does not exist or that the caller may not access. */
  thread: () => OpenThread;
  /** Runs work that creates the thread. One at a time: hooks may wait, and a repeated request must find the first one's result. */
  create: <T>(work: (context: CreateContext) => Promise<T>) => Promise<T>;
  /** Deletes the thread. Calls that come while it is being deleted wait for the same deletion. */
  remove: (byParent: boolean) => Promise<void>;
}

/** Implements one method. Throws a `ThreadholdError` to refuse. */
type MethodHandler<M extends MethodName> = (
  call: MethodCall,
  ...input: Parameters<Methods[M]>
) => ReturnType<Methods[M]> | Promise<ReturnType<Methods[M]>>;

/** The handlers of some methods, by name. A file of methods exports one such group; the compiler counts that none lacks. */
export type MethodGroup<Names extends MethodName> = { readonly [M in Names]: MethodHandler<M> };
