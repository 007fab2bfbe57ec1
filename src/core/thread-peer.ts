// What threads say to each other: a parent starts a child for one of its calls, a child tells what it does and delivers what
// came of it. Only objects of the deployment can reach these methods.

import type { AwaitedCall } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Limits } from "#contract/run.ts";
import type { PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";

import type { Delivered } from "./awaited.ts";
import type { ThreadParent } from "./record.ts";
import type { Answer, Caller } from "./thread-rpc.ts";

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

/** Contract: every method may be called again and then changes nothing. */
export interface ThreadPeer {
  startChild(input: ChildInput): Promise<Answer<null>>;
  deliver(delivery: Delivery): Promise<Answer<null>>;
  /** What a child waits for from outside, for whoever answers at its parent. */
  childCalls(told: ChildCalls): Promise<Answer<null>>;
  /** Which of these calls are the child's, or of threads below it, of which at most so many are asked. */
  knownCalls(caller: Caller, ids: string[], most: number): Promise<Answer<KnownCalls>>;
  /** Answers to calls of a child that were posted to its parent. */
  postToolResults(caller: Caller, body: PostToolResults): Promise<Answer<ToolResultsTaken>>;
  /** `watched`: somebody reads the parent's events, so the next ones are worth sending. */
  relay(relay: Relay): Promise<Answer<{ watched: boolean }>>;
  /** The parent with this id is watched now: what the child does is worth telling. */
  watch(parentId: string): Promise<Answer<null>>;
  stop(caller: Caller, runId: string | null): Promise<Answer<unknown>>;
  /** `byParent`: the parent deletes it, and need not be told. */
  remove(caller: Caller, byParent?: boolean): Promise<Answer<null>>;
}

/** A fresh stub for every call: a stub stays broken after its object was reset. */
export type PeerDirectory = (threadId: string) => ThreadPeer;

/** Who a thread is to another. */
export const peerCaller: Caller = { user: null, admin: true };
