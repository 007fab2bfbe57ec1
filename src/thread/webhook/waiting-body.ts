// The body of the webhook for calls that begin to wait. docs/guide/inbox.md describes it.

import type { PendingCall } from "#contract/thread.ts";
import type { WebhookSettings } from "#lib/webhook-settings.ts";

import type { LiveThread } from "../live/live-thread.ts";

/** Identifies a call among the waiting calls of a thread. A call that was approved may wait again, for its result. */
export function waitingKey({ id, kind, thread_id = "" }: Pick<PendingCall, "id" | "kind" | "thread_id">): string {
  return JSON.stringify([thread_id, kind, id]);
}

/**
 * The JSON text about those of the calls that still wait; null if none does. Arguments and the title are conversation text, and are
 * included only if the operator asks for them.
 */
export function waitingBody(
  { record }: LiveThread,
  keys: ReadonlySet<string>,
  { content }: Pick<WebhookSettings, "content">,
): string | null {
  const { id, agent_id, user_id, title, pending = [], updated_at } = record;
  const calls = pending.filter((call) => keys.has(waitingKey(call)));
  if (calls.length === 0) return null;
  const since = Math.min(...calls.map((call) => call.since ?? updated_at));
  const shown = calls.map(({ arguments: args, ...call }) => ({
    ...call,
    ...(content && args !== undefined ? { arguments: args } : {}),
  }));
  return JSON.stringify({
    type: "thread.waiting",
    timestamp: new Date(since / 1000).toISOString(),
    data: { thread_id: id, agent_id, user_id, ...(content ? { title } : {}), calls: shown },
  });
}
