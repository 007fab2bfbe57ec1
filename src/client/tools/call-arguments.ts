// Finds the arguments of a pending call. Large arguments are not part of the pending call: they are in the message with the call.

import type { JsonObject } from "#contract/json.ts";
import type { Message } from "#contract/thread-message.ts";
import type { PendingCall } from "#contract/thread.ts";

import { ThreadholdClientError } from "../client-error.ts";

/** The arguments of a call; text if they are not a JSON object. */
export type CallArguments = JsonObject | string;

/** Where the message with the call is searched. */
export interface ArgumentSources {
  /** Messages that the client has already. */
  known: readonly Message[];
  /** Requests the thread's messages, newest first. */
  newest: () => AsyncIterable<Message>;
}

/** Maximal number of requested messages that are searched. */
const maxMessages = 500;

/** Returns the arguments. Throws `message_not_found` if no message with the call is found. */
export async function callArguments(call: PendingCall, { known, newest }: ArgumentSources): Promise<CallArguments> {
  if (call.arguments !== undefined) return call.arguments;
  for (const message of known) {
    const found = argumentsIn(message, call.id);
    if (found !== undefined) return found;
  }
  let searched = 0;
  for await (const message of newest()) {
    const found = argumentsIn(message, call.id);
    if (found !== undefined) return found;
    searched += 1;
    if (searched >= maxMessages) break;
  }
  const message = `The message of the call "${call.id}" was not found.`;
  throw new ThreadholdClientError({ code: "message_not_found", message, status: 404 });
}

function argumentsIn({ parts }: Message, callId: string): JsonObject | undefined {
  for (const part of parts) {
    // While the model still streams a call, its arguments are incomplete text.
    if (part.type === "tool_call" && part.id === callId && typeof part.arguments !== "string") return part.arguments;
  }
  return undefined;
}
