// Applies feed events to a list of threads: moves, inserts or removes a thread. The filter is checked as on the server, except for `q`: the
// server also searches the text of messages, which the client does not have.

import type { Thread } from "#contract/thread.ts";

import type { ThreadFilter } from "../threads.ts";

/** Whether a thread matches a filter; null if only the server can decide. */
export function matchesFilter(thread: Thread, filter: ThreadFilter): boolean | null {
  const { agent_id, user_id, status, waiting, tag, q = "" } = filter;
  if (agent_id !== undefined && agent_id !== thread.agent_id && agent_id !== thread.origin_agent_id) return false;
  if (user_id !== undefined && user_id !== thread.user_id) return false;
  if (status !== undefined && status !== thread.status) return false;
  if (waiting && thread.pending_tool_calls.length === 0) return false;
  if (tag !== undefined && !thread.tags.includes(tag)) return false;
  return q === "" || (thread.title ?? "").toLowerCase().includes(q.toLowerCase()) || null;
}

/** The list without a thread; the same list if the thread is not in it. */
export function removeThread(threads: readonly Thread[], id: string): readonly Thread[] {
  return threads.some((thread) => thread.id === id) ? threads.filter((thread) => thread.id !== id) : threads;
}

/** The list with a thread at its position in the order of the filter; without the thread if the filter excludes it. */
export function placeThread(threads: readonly Thread[], thread: Thread, filter: ThreadFilter): readonly Thread[] {
  const others = removeThread(threads, thread.id);
  if (!(matchesFilter(thread, filter) ?? others !== threads)) return others;
  const sign = filter.order === "oldest" ? 1 : -1;
  return [...others, thread].sort(
    (one, other) => sign * (one.updated_at - other.updated_at || (one.id < other.id ? -1 : 1)),
  );
}
