// The addresses of a thread's trace and of its events, with the list's filter kept.

import { listSearch } from "../threads/thread-filter.ts";
import { threadPath } from "../threads/thread-title.ts";

/** A thread's trace; of one run where it is named. */
export function tracePath(threadId: string, run?: string, search = ""): string {
  const params = new URLSearchParams(listSearch(search));
  if (run !== undefined) params.set("run", run);
  const text = params.toString();
  return `${threadPath(threadId)}/trace${text === "" ? "" : `?${text}`}`;
}

/** A thread with one of its events chosen in the log. */
export function eventPath(threadId: string, seq: number, search = ""): string {
  const params = new URLSearchParams(listSearch(search));
  params.set("event", String(seq));
  return threadPath(threadId, params.toString());
}
