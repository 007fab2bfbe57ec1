// What a dialect sends with a message or with results, on the thread's side: which thread it means, and options that are stored
// together with the input.

import { refuse } from "#contract/error.ts";
import type { InputSetup } from "#core/thread-rpc.ts";
import { withOptions } from "#flow/thread-setup.ts";

import type { ObjectContext } from "../object-context.ts";
import type { OpenThread } from "../open-thread.ts";
import { withConfirmedLease } from "./confirmed-lease.ts";
import type { MethodCall } from "./method-call.ts";

/** Admits an input on the thread that the setup names. Adds to the result which tools the thread's client runs. */
export function admitWithSetup<T>(
  call: MethodCall,
  setup: InputSetup,
  admit: (open: OpenThread) => Promise<T>,
): Promise<T & { client_tools: string[] }> {
  return withConfirmedLease({ ...call, thread: () => namedThread(call, setup) }, async (open) => {
    const admitted = await admit(open);
    const tools = open.context.live.record.setup?.tools ?? [];
    return { ...admitted, client_tools: tools.map(({ name }) => name) };
  });
}

/** The caller's thread. One that was set up under another name or owner than the setup names does not exist for it. */
function namedThread({ thread }: MethodCall, { named }: InputSetup): OpenThread {
  const open = thread();
  const { user_id, setup } = open.context.live.record;
  if (named === undefined || (setup?.id === named.name && user_id === named.owner)) return open;
  throw refuse("thread_not_found", "There is no such thread.");
}

/** Changes the thread's row in memory. The admission of the input writes it. */
export function keepOptions({ live }: ObjectContext, { options = {} }: InputSetup): void {
  if (Object.keys(options).length === 0) return;
  live.change({ setup: withOptions(live.record.setup, live.record, options) });
}
