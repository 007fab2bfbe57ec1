// Shared by the tests of calls that wait for a person or a client: models that make calls, threads that wait with them, answers.

import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult } from "#contract/tool-route.ts";

import { duringCall, ran } from "../worker/approval.ts";
import { scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import { waitFor } from "./team-driver.ts";
import { admin, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

/** A call that a model makes. */
export interface Call {
  name: string;
  arguments: Record<string, unknown>;
  id?: string;
}

/** Resets what earlier tests recorded and set. */
export function resetAnswers(): void {
  ran.length = 0;
  duringCall.run = null;
  onPlace(null);
}

/** Lets the model make these calls when a message has this text, and answer after them. */
export function script(word: string, calls: Call[]): void {
  scripts.set(word, ({ step }) => (step === 0 ? { toolCalls: calls } : { text: `${word} done` }));
}

export const pay = (to: string): Call => ({ name: "pay", arguments: { to, amount: 5 } });
export const ask = (q: string): Call => ({ name: "ask", arguments: { q } });
export const erase = (what: string): Call => ({ name: "erase", arguments: { what } });
export const send = (name: string, task: string): Call => ({ name, arguments: { task } });

export const answer = (id: string, ...results: PostedResult[]) =>
  stubOf(id).call("postToolResults", admin, { results });
export const approve = (call: string, args?: PostedResult["args"]): PostedResult => ({
  tool_call_id: call,
  approved: true,
  ...(args === undefined ? {} : { args }),
});
export const says = (call: string, result: string): PostedResult => ({ tool_call_id: call, result });

/** The calls that a thread shows. */
export const shown = async (id: string) => (await value(stubOf(id).call("describe", admin))).pending_tool_calls;

/** The id of the first call of a tool. */
export const named = (calls: readonly { name: string; id: string }[], name: string) =>
  calls.find((one) => one.name === name)?.id ?? "";

/** A thread of the agent that received the message and waits with this many calls. */
export async function suspended(
  agent: string,
  first: string,
  count: number,
): Promise<{ id: string; following: Following; calls: PendingCall[] }> {
  const id = await newThread(agent);
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(first), null));
  const calls = await waitFor(async () => {
    const pending = await shown(id);
    return pending.length === count && pending;
  });
  return { id, following, calls };
}
