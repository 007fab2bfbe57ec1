// The list, in the thread's own row, of what other threads are still to be told.

import type { OutgoingWord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";

/** Adds to the list; the caller writes the thread's row. What is on its way already is told once more. */
export function owe(live: LiveThread, item: OutgoingWord): void {
  const outgoing = live.record.outgoing ?? [];
  const known = outgoing.find((one) => isSame(one, item));
  const others = outgoing.filter((one) => one !== known);
  live.change({ outgoing: [...others, { ...(known ?? item) }] });
}

/** A child's calls may be answered at its parent, which has to know them. The caller writes the row. */
export function oweCalls(live: LiveThread): void {
  if (live.record.parent !== null) owe(live, { type: "calls" });
}

function isSame(one: OutgoingWord, other: OutgoingWord): boolean {
  if (one.type === "result") return other.type === "result" && one.run_id === other.run_id;
  if (one.type === "calls") return other.type === "calls";
  return other.type === "stop" && one.thread_id === other.thread_id;
}
