// Opens the object's subscriber socket with a request of our own making: nothing of the client's reaches the object but the
// validated query.

import { errorBodySchema, ThreadholdError } from "#contract/error.ts";
import type { Caller, ThreadDirectory } from "#core/thread-rpc.ts";
import { callerHeader, subscribePath } from "#core/thread-rpc.ts";

/** Fields of a subscription, already validated. */
export type SubscriptionQuery = Readonly<Record<string, string>>;

/** What is subscribed to, and for whom. */
export interface SubscriptionTarget {
  threads: ThreadDirectory;
  threadId: string;
  caller: Caller;
  query: SubscriptionQuery;
}

/** The internal upgrade request. */
export function subscribeRequest(caller: Caller, query: SubscriptionQuery): Request {
  const url = new URL(subscribePath, "https://thread");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return new Request(url, { headers: { upgrade: "websocket", [callerHeader]: JSON.stringify(caller) } });
}

/** Attaches; the socket is not yet accepted. Throws what the object refused, or whatever broke on the way. */
export async function attach({ threads, threadId, caller, query }: SubscriptionTarget): Promise<WebSocket> {
  const response = await threads(threadId).fetch(subscribeRequest(caller, query));
  if (response.webSocket) return response.webSocket;
  const body = errorBodySchema.safeParse(await response.json().catch(() => null));
  if (body.success) {
    const { code, message } = body.data.error;
    throw new ThreadholdError({ code, message });
  }
  throw new Error(`The thread answered an upgrade with status ${String(response.status)}.`);
}
