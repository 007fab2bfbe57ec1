// Admits the task that a parent gives its child.

import type { ThreadParent } from "#core/record.ts";
import type { ChildInput } from "#core/thread-peer.ts";
import { peerCaller } from "#core/thread-peer.ts";

import type { OpenThread } from "../open-thread.ts";
import { admitMessage } from "../run/admission.ts";

/** Under which key the child keeps the run that answers its parent. */
export function callKey(parent: ThreadParent): string {
  return `call ${parent.message_id}`;
}

/** Begins the child's run; asked again, it changes nothing. */
export async function admitChild(
  { context, driver }: OpenThread,
  { id, parent, text, limits }: ChildInput,
): Promise<null> {
  const input = { content: text, role: "user", silent: false, metadata: {}, when: "queue", run: true, limits } as const;
  const key = { key: callKey(parent), fingerprint: id };
  await admitMessage(context, driver, { caller: peerCaller, input, key, parentRunId: parent.run_id });
  return null;
}
