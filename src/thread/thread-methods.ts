// The table of a thread's methods: every name that may be called on its object, with its handler. Each group stands in the file
// of its topic, and the compiler refuses a table that lacks a method of the interface (`core/thread-rpc.ts`, `thread-peer.ts`).

import { refuse } from "#contract/error.ts";

import { peerMethods } from "./children/peer-methods.ts";
import { createMethods } from "./method/create-thread.ts";
import { toolMethods } from "./method/invoke-tool.ts";
import type { MethodCall, MethodGroup, MethodName } from "./method/method-call.ts";
import { resultMethods } from "./method/post-tool-results.ts";
import { transcriptMethods } from "./method/read-transcript.ts";
import { changeMethods } from "./method/thread-changes.ts";
import { messageMethods } from "./method/thread-messages.ts";
import { queueMethods } from "./method/thread-queue.ts";
import { recordMethods } from "./method/thread-records.ts";
import { admissionMethods } from "./run/admission.ts";

const methods: MethodGroup<MethodName> = {
  ...createMethods,
  ...changeMethods,
  ...admissionMethods,
  ...messageMethods,
  ...queueMethods,
  ...recordMethods,
  ...toolMethods,
  ...resultMethods,
  ...transcriptMethods,
  ...peerMethods,
};

/** Runs a method by its name. Throws a refusal; refuses every name that is not in the table. */
export async function runMethod(name: string, call: MethodCall, input: readonly unknown[]): Promise<unknown> {
  if (!Object.hasOwn(methods, name)) throw refuse("route_not_found", `The thread has no method "${name}".`);
  // The callers' interface types the input of each name; a name that arrives as text cannot be related to it.
  const handler = methods[name as MethodName] as (call: MethodCall, ...input: readonly unknown[]) => unknown;
  return handler(call, ...input);
}
