// Opens the object's subscriber socket with a request of our own making: nothing of the client's reaches the object but the
// validated query.

import { errorBodySchema, ThreadholdError } from "#contract/error.ts";
import type { Caller, ThreadDirectory } from "#core/thread-rpc.ts";
import { callerHeader, endField, subscribePath } from "#core/thread-rpc.ts";

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
  // What follows a run answers the request that began it, and ends with the run.
  if (caller.until !== undefined && query["run_id"] === undefined) url.searchParams.set(endField, String(caller.until));
  return new Request(url, { headers: { upgrade: "websocket", [callerHeader]: JSON.stringify(caller) } });
}

/** Attaches; the socket is not yet accepted. Throws what the object refused, or whatever broke on the way. */
export async function attach({ threads, threadId, caller, query }: SubscriptionTarget): Promise<WebSocket> {
  return socketOf(await threads(threadId).fetch(subscribeRequest(caller, query)));
}

/** The socket of an object's answer to an upgrade. Throws what the object refused. */
export async function socketOf(response: Response): Promise<WebSocket> {
  if (response.webSocket) return response.webSocket;
  const body = errorBodySchema.safeParse(await response.json().catch(() => null));
  if (body.success) {
    const { code, message } = body.data.error;
    const after = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new ThreadholdError({ code, message, ...(after > 0 ? { retry_after_ms: after * 1000 } : {}) });
  }
  throw new Error(`The object answered an upgrade with status ${String(response.status)}.`);
}
