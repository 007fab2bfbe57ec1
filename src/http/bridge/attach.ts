// Opens a WebSocket from the Worker to a thread's object. The internal request is built here and contains only the validated query,
// nothing else of the client's request.

import { errorBodySchema, ThreadholdError } from "#contract/error.ts";
import type { Caller, ThreadDirectory } from "#core/thread-rpc.ts";
import { callerHeader, endField, subscribePath } from "#core/thread-rpc.ts";

/** Fields of a subscription, already validated. */
export type SubscriptionQuery = Readonly<Record<string, string>>;

/** The thread, the caller and the query of a subscription. */
export interface SubscriptionTarget {
  threads: ThreadDirectory;
  threadId: string;
  caller: Caller;
  query: SubscriptionQuery;
}

/** Builds the internal upgrade request. */
export function subscribeRequest(caller: Caller, query: SubscriptionQuery): Request {
  const url = new URL(subscribePath, "https://thread");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // A stream that follows one run is part of the response to the request that started the run, so it may outlast the credentials.
  if (caller.until !== undefined && query["run_id"] === undefined) url.searchParams.set(endField, String(caller.until));
  return new Request(url, { headers: { upgrade: "websocket", [callerHeader]: JSON.stringify(caller) } });
}

/** Opens the socket without accepting it. Throws the object's refusal, or the error of the call. */
export async function attach({ threads, threadId, caller, query }: SubscriptionTarget): Promise<WebSocket> {
  return socketOf(await threads(threadId).fetch(subscribeRequest(caller, query)));
}

/** Returns the socket of an object's response to an upgrade. Throws the object's refusal, or `unavailable` for any other response. */
export async function socketOf(response: Response): Promise<WebSocket> {
  if (response.webSocket) return response.webSocket;
  const body = errorBodySchema.safeParse(await response.json().catch(() => null));
  if (body.success) {
    const { code, message } = body.data.error;
    const after = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new ThreadholdError({ code, message, ...(after > 0 ? { retry_after_ms: after * 1000 } : {}) });
  }
  const cause = new Error(`The object answered an upgrade with status ${String(response.status)}.`);
  const message = "The stream could not be opened. Try again.";
  throw new ThreadholdError({ code: "unavailable", message, retry_after_ms: 1000 }, { cause });
}
