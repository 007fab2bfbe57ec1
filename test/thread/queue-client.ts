// Shared by the tests of the queue: a run that waits at a gate, and the inputs that wait for it.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { ThreadEvent } from "#contract/event.ts";
import type { PostMessage } from "#contract/message-route.ts";
import type { QueuedInput } from "#contract/queue-route.ts";
import type { Message } from "#contract/thread-message.ts";
import type { Admission } from "#core/rpc/thread-rpc.ts";
import type { TestTurn } from "#spec/index.ts";

import { gate, scripts } from "../worker/definitions.ts";
import { latch, waitFor } from "./team-driver.ts";
import { admin, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: true };

/** A name that no other test uses. */
export const unique = (): string => `q${crypto.randomUUID().slice(0, 8)}`;

/** An active run: its tool waits at a gate, then its model answers. */
export interface Busy {
  id: string;
  runId: string;
  open: () => void;
}

/** The calls of the first step; calls after the first wait for the gate if they run one after the other. */
export type Calls = (name: string) => { name: string; arguments: Record<string, unknown> }[];

const waits: Calls = (name) => [{ name: "wait", arguments: { gate: name } }];

/** Creates a thread whose run waits in a tool. */
export async function busy(agent = "parallel", calls = waits): Promise<Busy> {
  const name = unique();
  const { reached, open } = gate(name);
  scripts.set(name, ({ step }) => (step === 0 ? { toolCalls: calls(name) } : { text: `${name} done` }));
  const id = await newThread(agent);
  const { run } = await value(stubOf(id).call("postMessage", admin, message(name), null));
  await reached;
  return { id, runId: run?.id ?? "", open };
}

/** Creates a thread whose run is suspended for a minute before its model answers. */
export async function suspended(agent = "parallel"): Promise<{ id: string; runId: string; name: string }> {
  const name = unique();
  let requested = 0;
  scripts.set(name, () => {
    requested += 1;
    return requested === 1
      ? { error: { kind: "rate_limited", message: "slow down", retryAfterMs: 60_000 } }
      : { text: "rested" };
  });
  const id = await newThread(agent);
  const { run } = await value(stubOf(id).call("postMessage", admin, message(name), null));
  const following = await follow(id, { after: "0" });
  await following.until(({ type }) => type === "model_retry");
  following.close();
  return { id, runId: run?.id ?? "", name };
}

export const say = (id: string, text: string, extra: Partial<PostMessage> = {}): Promise<Admission> =>
  value(stubOf(id).call("postMessage", admin, message(text, extra), null));

export const steer = (id: string, text: string): Promise<Admission> => say(id, text, { when: "steer" });

export const queueOf = async (id: string): Promise<QueuedInput[]> =>
  (await value(stubOf(id).call("listQueue", admin, { limit: 100 }))).items;

export const messagesOf = async (id: string): Promise<Message[]> =>
  (await value(stubOf(id).call("listMessages", admin, page))).items;

/** The roles and texts of messages, for a tool its status. */
export const said = async (id: string): Promise<string[]> =>
  (await messagesOf(id)).map(({ role, content, result, tool_calls }) =>
    role === "tool" ? `tool ${result?.status}` : `${role}: ${content ?? (tool_calls === null ? "" : "calls")}`,
  );

/** Waits until no run is active or queued, and returns all events. */
export async function atRest(id: string): Promise<ThreadEvent[]> {
  const following = await follow(id, { after: "0", until: "idle" });
  await following.closed;
  return following.events;
}

export const wake = (id: string): Promise<boolean> =>
  runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));

/** A run whose model is about to end its last answer: a message that arrives now is too late for the step. */
export async function speaking(agent = "parallel", turn: TestTurn = { text: "last words" }) {
  const name = unique();
  const { passed, open } = latch();
  let speaks = false;
  scripts.set(name, async () => {
    speaks = true;
    await passed;
    return turn;
  });
  const id = await newThread(agent);
  const { run } = await say(id, name);
  await waitFor(() => speaks);
  return { id, runId: run?.id ?? "", name, open };
}

/** A call that waits at the gate, and one after it. */
export const notesBehind: Calls = (name) => [
  { name: "wait", arguments: { gate: name } },
  { name: "note", arguments: { text: `behind ${name}` } },
];
