// The methods that other threads call: a parent starts a child and subscribes to it, a child delivers its results, costs, events
// and open calls.

import { peerCaller } from "#core/rpc/thread-peer.ts";
import type { ChildInput, ChildCalls } from "#core/rpc/thread-peer.ts";

import { knownCalls } from "../children/child-results.ts";
import { receiveDelivery, forwardEvents, findWaitingCall } from "../children/delivery.ts";
import { callKey } from "../children/removal.ts";
import { receiveWatch } from "../children/watching.ts";
import { admitMessage } from "../run/admission.ts";
import type { AdmissionContext } from "../run/admission.ts";
import { createThread } from "./create-thread.ts";
import type { OpenThread } from "./loaded-thread.ts";
import type { MethodGroup } from "./method-call.ts";

type PeerNames = "startChild" | "deliver" | "childCalls" | "knownCalls" | "relay" | "watch";

/** The methods of parents and children. */
export const peerMethods: MethodGroup<PeerNames> = {
  startChild: async ({ caller, create, thread }, input) => {
    const { text: _, limits: __, trace: ___, ...fields } = input;
    await create((context) => createThread(context, caller, { ...fields, creation: callKey(input.parent) }));
    await admitTask(thread(), input);
    return null;
  },
  deliver: ({ thread }, delivery) => {
    receiveDelivery(thread(), delivery);
    return null;
  },
  childCalls: ({ thread }, calls) => {
    receiveChildCalls(thread(), calls);
    return null;
  },
  knownCalls: ({ caller, thread }, ids, most) => knownCalls(thread(), { caller, ids, most }),
  relay: ({ thread }, relay) => forwardEvents(thread(), relay),
  watch: ({ thread }, parentId) => {
    receiveWatch(thread(), parentId);
    return null;
  },
};

/** Starts the child's run. The idempotency key makes a repeated start change nothing. */
async function admitTask(open: AdmissionContext, { id, parent, text, limits, trace }: ChildInput): Promise<void> {
  const input = { content: text, role: "user", silent: false, metadata: {}, when: "queue", run: true, limits } as const;
  const key = { key: callKey(parent), fingerprint: id };
  const caller = trace === undefined ? peerCaller : { ...peerCaller, trace };
  await admitMessage(open, { caller, input, key, parentRunId: parent.run_id });
}

/**
 * Stores a child's calls that wait for a client or a person. The parent lists them with its own calls and accepts results for them, so
 * its clients do not need the child threads. The calls are listed at once if the run is suspended, otherwise at its next suspension.
 */
function receiveChildCalls(
  { live, driver }: Pick<OpenThread, "live" | "driver">,
  { calls, ...reported }: ChildCalls,
): void {
  const row = findWaitingCall(live, reported);
  if (row === null) return;
  const next = { ...row, awaits: { ...row.awaits, calls } };
  live.updateMessage(next);
  driver.showAwaited(next);
}
