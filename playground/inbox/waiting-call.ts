// The calls that wait in listed threads.

import type { PendingCall, Thread } from "threadhold/client";

import { threadPath } from "../threads/thread-title.ts";

/** A call, and the thread that lists it. */
export interface WaitingCall {
  thread: Thread;
  call: PendingCall;
  /** Identifies the wait. The same limit may be reached again, so it contains the start time. */
  key: string;
}

/** A thread with its calls that wait. */
export interface WaitingThread {
  thread: Thread;
  calls: readonly WaitingCall[];
}

/** The calls of a thread, the longest wait first. */
function callsOf(thread: Thread): WaitingCall[] {
  return thread.pending_tool_calls
    .map((call) => ({ thread, call, key: [thread.id, call.thread_id ?? "", call.id, call.since ?? 0].join(" ") }))
    .toSorted((one, other) => since(one) - since(other));
}

/** The calls of all threads. */
export function waitingCalls(threads: readonly Thread[]): WaitingCall[] {
  return threads.flatMap(callsOf);
}

/** The threads whose calls pass a filter, the longest wait first. */
export function waitingThreads(
  threads: readonly Thread[],
  passes: (waiting: WaitingCall) => boolean,
): readonly WaitingThread[] {
  return threads
    .map((thread) => ({ thread, calls: callsOf(thread).filter(passes) }))
    .filter(({ calls }) => calls.length > 0)
    .toSorted((one, other) => first(one) - first(other));
}

/** Address of the call's place: its message in the listed thread. */
export function placeOf({ thread, call }: WaitingCall): string {
  const path = threadPath(thread.id);
  return call.message_id === undefined
    ? path
    : `${path}?${new URLSearchParams({ message: call.message_id }).toString()}`;
}

/** A call that was stored before the field `since` existed has no time. The thread's last change is about as old. */
function since({ thread, call }: WaitingCall): number {
  return call.since ?? thread.updated_at;
}

function first({ calls }: WaitingThread): number {
  return Math.min(...calls.map(since));
}
