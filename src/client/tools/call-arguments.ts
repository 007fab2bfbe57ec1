// The arguments of a call that waits. They come with it, or, where they are large, stand in the message that asks for it.

import type { JsonObject } from "#contract/json.ts";
import type { Message } from "#contract/message.ts";
import type { PendingCall } from "#contract/thread.ts";

import { ThreadholdClientError } from "../client-error.ts";

/** What a call was asked with; text where it is no JSON object. */
export type CallArguments = JsonObject | string;

/** Where to look. */
export interface ArgumentSources {
  /** Messages that are known already. */
  known: readonly Message[];
  /** The thread's messages, newest first. */
  newest: () => AsyncIterable<Message>;
}

/** Messages looked through before the search is given up. */
const mostMessages = 500;

/** The arguments. Throws `message_not_found` where the message that asks for the call is not to be found. */
export async function callArguments(call: PendingCall, { known, newest }: ArgumentSources): Promise<CallArguments> {
  if (call.arguments !== undefined) return call.arguments;
  for (const message of known) {
    const found = argumentsIn(message, call.id);
    if (found !== undefined) return found;
  }
  let looked = 0;
  for await (const message of newest()) {
    const found = argumentsIn(message, call.id);
    if (found !== undefined) return found;
    looked += 1;
    if (looked >= mostMessages) break;
  }
  const message = `The message that asks for the call "${call.id}" was not found; it may have been deleted.`;
  throw new ThreadholdClientError({ code: "message_not_found", message, status: 404 });
}

function argumentsIn({ parts }: Message, callId: string): JsonObject | undefined {
  for (const part of parts) {
    // A call that is still being written has no arguments yet but pieces of their text.
    if (part.type === "tool_call" && part.id === callId && typeof part.arguments !== "string") return part.arguments;
  }
  return undefined;
}
