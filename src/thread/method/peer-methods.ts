// The methods that other threads call: a parent starts a child and subscribes to it, a child delivers its results, costs, events
// and open calls.

import { peerCaller } from "#core/rpc/thread-peer.ts";
import type { ChildInput, ChildCalls } from "#core/rpc/thread-peer.ts";

import { knownCalls } from "../children/child-results.ts";
import { receiveDelivery, forwardEvents, findWaitingCall } from "../children/delivery.ts";
import { callKey } from "../children/removal.ts";
import { receiveWatch } from "../children/watching.ts";
import type { LiveThread } from "../live/live-thread.ts";
import { admitMessage } from "../run/admission.ts";
import type { Driver } from "../run/driver.ts";
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
    const { context, driver } = thread();
    receiveDelivery(context, driver, delivery);
    return null;
  },
  childCalls: ({ thread }, calls) => {
    const { context, driver } = thread();
    receiveChildCalls(context.live, driver, calls);
    return null;
  },
  knownCalls: ({ caller, thread }, ids, most) => knownCalls(thread().context, { caller, ids, most }),
  relay: ({ thread }, relay) => forwardEvents(thread().context, relay),
  watch: ({ thread }, parentId) => {
    receiveWatch(thread().context, parentId);
    return null;
  },
};

/** Starts the child's run. The idempotency key makes a repeated start change nothing. */
async function admitTask(
  { context, driver }: OpenThread,
  { id, parent, text, limits, trace }: ChildInput,
): Promise<void> {
  const input = { content: text, role: "user", silent: false, metadata: {}, when: "queue", run: true, limits } as const;
  const key = { key: callKey(parent), fingerprint: id };
  const caller = trace === undefined ? peerCaller : { ...peerCaller, trace };
  await admitMessage(context, driver, { caller, input, key, parentRunId: parent.run_id });
}

/**
 * Stores a child's calls that wait for a client or a person. The parent lists them with its own calls and accepts results for them, so
 * its clients do not need the child threads. The calls are listed at once if the run is suspended, otherwise at its next suspension.
 */
function receiveChildCalls(live: LiveThread, driver: Driver, { calls, ...reported }: ChildCalls): void {
  const row = findWaitingCall(live, reported);
  if (row === null) return;
  const next = { ...row, awaits: { ...row.awaits, calls } };
  live.updateMessage(next);
  driver.showAwaited(next);
}
