// Calls of a child thread that wait for somebody outside: the child tells its parent, which shows them as its own and takes
// answers to them, so that whoever follows a conversation need not know of the threads below it.

import type { AwaitedCall } from "#contract/event.ts";
import { jsonBytes } from "#core/cut-text.ts";
import type { ChildCalls } from "#core/thread-peer.ts";

import type { ObjectContext } from "../object-context.ts";
import { openStepRows } from "../reader/open-calls.ts";
import type { Driver } from "../run/driver.ts";
import { awaitedCalls } from "../run/run-rest.ts";
import { waitingCall } from "./delivery.ts";

/** Bytes of JSON of arguments that are handed to the parent, which holds them in a row; larger ones stay in the child. */
const handedOn = 64 * 1024;

/** What the child waits for now, for its parent: none while it is at work. */
export function callsForParent({ live }: ObjectContext): AwaitedCall[] {
  const { id, status } = live.record;
  if (status !== "awaiting_tool_execution") return [];
  let room = handedOn;
  return awaitedCalls(openStepRows(live.store, live.record).reverse()).map(
    ({ arguments: args, thread_id = id, ...call }) => {
      room -= jsonBytes(args ?? null);
      return { ...call, thread_id, ...(args === undefined || room < 0 ? {} : { arguments: args }) };
    },
  );
}

/** Takes what a child told. A resting run shows it at once, one at work with its next rest. */
export function takeChildCalls(context: ObjectContext, driver: Driver, { calls, ...told }: ChildCalls): void {
  const { live } = context;
  const row = waitingCall(live, told);
  if (row === null) return;
  const next = { ...row, awaits: { ...row.awaits, calls } };
  live.store.updateMessage(next);
  live.changed(next);
  driver.showAwaited(row.run_id);
}
