// What threads say to each other: a parent starts a child for one of its calls, a child tells what it does and delivers what
// came of it. Only objects of the deployment can reach these methods.

import type { AwaitedCall } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Limits } from "#contract/run.ts";

import type { Delivered } from "./awaited.ts";
import type { ThreadParent } from "./record.ts";
import type { Caller, MethodCalls, ThreadMethods } from "./thread-rpc.ts";

/** A child to be made and started. */
export interface ChildInput {
  id: string;
  agent_id: string;
  user_id: string | null;
  parent: ThreadParent;
  /** Its first message. */
  text: string;
  /** What its run may use at most: what its parent's bounds leave. */
  limits: Limits;
}

/** An answer for a call of a parent. */
export interface Delivery extends Delivered {
  /** The child that delivers; another thread's word counts for nothing. */
  from: string;
  message_id: string;
}

/** Events of a child for whoever watches its parent. */
export interface Relay {
  from: string;
  message_id: string;
  events: JsonObject[];
}

/** Calls of a child that wait for somebody outside: all of them, none where it is at work again. */
export interface ChildCalls {
  from: string;
  message_id: string;
  calls: AwaitedCall[];
}

/** Calls that a thread, or one below it, made: those that wait for an answer, and those that had one or may have none any more. */
export interface KnownCalls {
  open: string[];
  over: string[];
}

/** The methods that threads call on each other. Contract: repeating a call changes nothing more. */
export interface PeerMethods extends Pick<ThreadMethods, "postToolResults" | "stop" | "remove"> {
  startChild(input: ChildInput): null;
  /** Delivers a child's result to its parent. */
  deliver(delivery: Delivery): null;
  /** Sends the parent the calls that the child waits for, so that a client can answer them at the parent. */
  childCalls(calls: ChildCalls): null;
  /** Sorts out which of these calls belong to the child or to threads below it. At most `most` threads are asked. */
  knownCalls(ids: string[], most: number): KnownCalls;
  /** `watched`: the parent has subscribers, so the next events are worth sending. */
  relay(relay: Relay): { watched: boolean };
  /** The parent with this id has subscribers now: the child starts to relay its events. */
  watch(parentId: string): null;
}

/** Another thread, as a thread calls it. */
export type ThreadPeer = MethodCalls<PeerMethods>;

/** A fresh stub for every call: a stub stays broken after its object was reset. */
export type PeerDirectory = (threadId: string) => ThreadPeer;

/** The caller of a method that another thread calls. */
export const peerCaller: Caller = { user: null, admin: true };
