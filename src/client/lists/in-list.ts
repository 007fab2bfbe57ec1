// What a word about a thread does to a list: where the thread stands in it, or that it is not in it. A filter is applied as the
// server applies it, as far as a thread by itself says; what was said last in it, which `q` searches too, it does not say.

import type { Thread } from "#contract/thread.ts";

import type { ThreadFilter } from "../threads.ts";

/** Whether a filter lets a thread through; null where only the server knows. */
export function fits(thread: Thread, filter: ThreadFilter): boolean | null {
  const { agent_id, user_id, status, tag, q = "" } = filter;
  if (agent_id !== undefined && agent_id !== thread.agent_id && agent_id !== thread.origin_agent_id) return false;
  if (user_id !== undefined && user_id !== thread.user_id) return false;
  if (status !== undefined && status !== thread.status) return false;
  if (tag !== undefined && !thread.tags.includes(tag)) return false;
  return q === "" || (thread.title ?? "").toLowerCase().includes(q.toLowerCase()) || null;
}

/** The list without a thread; the same one where it was not in it. */
export function without(threads: readonly Thread[], id: string): readonly Thread[] {
  return threads.some((thread) => thread.id === id) ? threads.filter((thread) => thread.id !== id) : threads;
}

/** The list with a thread in its place, newest activity first, or without it where the filter keeps it out. */
export function withThread(threads: readonly Thread[], thread: Thread, filter: ThreadFilter): readonly Thread[] {
  const others = without(threads, thread.id);
  if (!(fits(thread, filter) ?? others !== threads)) return others;
  const found = others.findIndex((other) => isBefore(thread, other));
  return others.toSpliced(found === -1 ? others.length : found, 0, thread);
}

function isBefore(one: Thread, other: Thread): boolean {
  return one.updated_at === other.updated_at ? one.id > other.id : one.updated_at > other.updated_at;
}
