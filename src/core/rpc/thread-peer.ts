// The RPC interface between threads: a parent starts a child thread for one of its calls; the child sends its events and its result to the
// parent. Only objects of the deployment can call these methods.

import type { JsonObject } from "#contract/json.ts";
import type { Limits } from "#contract/run.ts";

import type { Delivered, WaitingCall } from "../record/awaited.ts";
import type { ThreadParent } from "../record/record.ts";
import type { Caller, MethodCalls, ThreadMethods, ThreadStub } from "./thread-rpc.ts";

/** A child thread to create and start. */
export interface ChildInput {
  id: string;
  agent_id: string;
  user_id: string | null;
  parent: ThreadParent;
  /** The child's first message. */
  text: string;
  /** The limits of the child's run: a share of the parent's remaining budget. */
  limits: Limits;
  /** The W3C `traceparent` of the call, if the deployment exports traces. */
  trace?: string;
}

/** A child thread's result for a call of its parent. */
export interface Delivery extends Delivered {
  /** The child thread. A delivery from another thread is ignored. */
  from: string;
  message_id: string;
}

/** Events of a child thread for the subscribers of its parent. */
export interface Relay {
  from: string;
  message_id: string;
  events: JsonObject[];
}

/** All calls of a child thread that wait for a client or a person. An empty list if the child's run continues. */
export interface ChildCalls {
  from: string;
  message_id: string;
  calls: WaitingCall[];
}

/** Calls of a thread and of its descendants. `open`: calls that wait. `over`: calls that have a result or cannot get one any more. */
export interface KnownCalls {
  open: string[];
  over: string[];
}

/** The methods that threads call on each other. Contract: a repeated call has no further effect. */
export interface PeerMethods extends Pick<ThreadMethods, "listRuns" | "postToolResults" | "stop" | "remove"> {
  startChild(input: ChildInput): null;
  /** Delivers a child's result to its parent. */
  deliver(delivery: Delivery): null;
  /** Sends the parent the calls that the child waits for, so that a client can answer them at the parent. */
  childCalls(calls: ChildCalls): null;
  /** Returns which of these calls belong to the thread or to its descendants. Asks at most `most` other threads. */
  knownCalls(ids: string[], most: number): KnownCalls;
  /** Sends events of a child to the parent. `watched`: the parent has subscribers, so the next events should be sent too. */
  relay(relay: Relay): { watched: boolean };
  /** The parent with this id has subscribers now: the child starts to relay its events. */
  watch(parentId: string): null;
}

/** Another thread's object. `fetch` accepts a request to export its thread, as that of `ThreadStub` does. */
export interface ThreadPeer extends MethodCalls<PeerMethods>, Pick<ThreadStub, "fetch"> {}

/** Makes a new stub for every call, because a stub stays broken after its object was reset. */
export type PeerDirectory = (threadId: string) => ThreadPeer;

/** The `Caller` that a thread passes to the methods of another thread. */
export const peerCaller: Caller = { user: null, admin: true };
