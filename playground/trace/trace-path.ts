// The addresses of a thread's trace and of its events, with the list's filter kept.

import { listSearch } from "../threads/thread-filter.ts";
import { threadPath } from "../threads/thread-title.ts";

/** The address of a thread's trace, or of one run in it. */
export function tracePath(threadId: string, run?: string, search = ""): string {
  const params = new URLSearchParams(listSearch(search));
  if (run !== undefined) params.set("run", run);
  const text = params.toString();
  return `${threadPath(threadId)}/trace${text === "" ? "" : `?${text}`}`;
}

/** The address of a thread with one event selected in its log. */
export function eventPath(threadId: string, seq: number, search = ""): string {
  const params = new URLSearchParams(listSearch(search));
  params.set("event", String(seq));
  return threadPath(threadId, params.toString());
}
