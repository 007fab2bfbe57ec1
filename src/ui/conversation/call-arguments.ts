// The arguments of a call that did not come along with it: they stand in the message that asks for the call, in the thread that
// made it.

import type { JsonObject, OpenCall, ThreadHandle } from "#client/index.ts";

const mostMessages = 500;

/** The arguments. Throws where the message is not to be found. */
export async function findArguments(
  handle: ThreadHandle,
  call: OpenCall,
  signal: AbortSignal,
): Promise<JsonObject | string> {
  let looked = 0;
  for await (const { parts } of handle.messages.list({ order: "desc", include_silent: true, limit: 100 }, { signal })) {
    for (const part of parts) if (part.type === "tool_call" && part.id === call.id) return part.arguments;
    looked += 1;
    if (looked >= mostMessages) break;
  }
  throw new Error(`The message that asks for the call "${call.id}" was not found.`);
}
