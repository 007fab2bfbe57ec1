// Handles the options that a dialect (an API with another wire format) sends with a message or with results (`InputSetup`): the setup that
// the thread must have, and options of model requests. Clients of the thread API send none.

import { refuse } from "#contract/error.ts";
import type { InputSetup } from "#core/rpc/thread-rpc.ts";
import { withOptions } from "#flow/setup/thread-setup.ts";

import type { LiveThread } from "../live/live-thread.ts";
import type { OpenThread } from "./loaded-thread.ts";

/**
 * Admits an input, and adds the names of the tools that the thread's client runs to the result. Refuses with `thread_not_found` a thread
 * whose setup has another name or owner than `named`.
 */
export async function withSetup<T>(
  open: OpenThread,
  { named }: InputSetup,
  admit: (open: OpenThread) => Promise<T>,
): Promise<T & { client_tools: string[] }> {
  const { live } = open.context;
  const { user_id, setup } = live.record;
  if (named !== undefined && (setup?.id !== named.name || user_id !== named.owner)) {
    throw refuse("thread_not_found", "There is no such thread.");
  }
  const admitted = await admit(open);
  return { ...admitted, client_tools: live.record.setup?.tools.map(({ name }) => name) ?? [] };
}

/** Changes the options of model requests in the thread's row in memory. The write of the input stores them. */
export function keepOptions(live: LiveThread, { options = {} }: InputSetup): void {
  if (Object.keys(options).length === 0) return;
  live.change({ setup: withOptions(live.record.setup, live.record, options) });
}
