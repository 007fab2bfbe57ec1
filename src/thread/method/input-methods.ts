// The methods that admit an input and may start a run: a message, a run without a message, results of calls. A dialect (an API with another
// wire format) sends more with an input (`InputSetup`): the setup that the thread must have, and options of model requests.

import { refuse } from "#contract/error.ts";
import type { InputSetup } from "#core/rpc/thread-rpc.ts";

import { admitMessage } from "../run/admission.ts";
import { admitRun } from "../run/continue-run.ts";
import type { OpenThread } from "./loaded-thread.ts";
import type { MethodCall, MethodGroup } from "./method-call.ts";
import { acceptResults } from "./post-tool-results.ts";

export const inputMethods: MethodGroup<"postMessage" | "postRun" | "postToolResults"> = {
  postMessage: (call, ...[input, key, setup = {}]) =>
    withConfirmedLease(call, (open) =>
      withSetup(open, setup, () => admitMessage(open, { caller: call.caller, input, key, setup })),
    ),
  postRun: (call, input, key) =>
    withConfirmedLease(call, (open) => admitRun(open, { caller: call.caller, input, key })),
  postToolResults: (call, body, setup = {}) =>
    withConfirmedLease(call, (open) =>
      withSetup(open, setup, async () => {
        const after = open.live.lastSeq;
        return { ...(await acceptResults(open, { caller: call.caller, body, setup })), after };
      }),
    ),
};

/**
 * Admits an input on the caller's thread. If that succeeds, confirms the caller's lease (a user's right to one running thread,
 * `core/rpc/lease.ts`): the owner's feed object counts the thread as running from then on.
 */
async function withConfirmedLease<T>(
  { caller, thread }: MethodCall,
  admit: (open: OpenThread) => Promise<T>,
): Promise<T> {
  const open = thread();
  const admitted = await admit(open);
  open.ownerFeed.confirmLease(caller, open.live);
  return admitted;
}

/**
 * Admits an input, and adds the names of the tools that the thread's client runs to the result. Refuses with `thread_not_found` a thread
 * whose setup has another name or owner than `named`.
 */
async function withSetup<T>(
  { live }: Pick<OpenThread, "live">,
  { named }: InputSetup,
  admit: () => Promise<T>,
): Promise<T & { client_tools: string[] }> {
  const { user_id, setup } = live.record;
  if (named !== undefined && (setup?.id !== named.name || user_id !== named.owner)) {
    throw refuse("thread_not_found", "There is no such thread.");
  }
  const admitted = await admit();
  return { ...admitted, client_tools: live.record.setup?.tools.map(({ name }) => name) ?? [] };
}
