// Conversations over the definitions of test/worker/faulted.ts. `every-fault.test.ts` kills their object at each fault point;
// test/golden runs them without faults. `begin` may be called repeatedly and starts the conversation once.

import { vi } from "vitest";

import type { PostRun } from "#contract/run-route.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult } from "#contract/tool-route.ts";

import { steered } from "../worker/faulted.ts";
import { beforeAlarms } from "./fault-stage.ts";
import type { Play } from "./fault-stage.ts";
import { admin, alarmOf, message, stubOf, value } from "./thread-driver.ts";

const key = { key: "once", fingerprint: "once" };

/** The interval at which a client asks. A loop without pauses would block all input and output of the runtime. */
const timeoutMs = { timeout: 60_000, interval: 2 };

/** Posts one message, only once per thread. */
export const says =
  (kind: string, rest = "") =>
  (id: string) =>
    value(stubOf(id).call("postMessage", admin, message(`${kind} ${id} ${rest}`.trim()), key));

/** The conversation that reaches most of the points. */
export const team: Play = { agent: "fault_desk", begin: says("go") };

/**
 * Whether the background work of a suspended thread is done: its alarm is then the distant end of a wait, or none. While the catalog is
 * being written, an answer repeats that work, so the number of fault points would depend on the machine's speed.
 */
async function isQuiet(id: string): Promise<boolean> {
  const alarm = await alarmOf(id);
  return alarm === null || alarm > Date.now() + 3 * beforeAlarms;
}

/**
 * Answers the calls for which the run waits, one at a time, as a client that asks at intervals. Each answer but the last is sent again, as
 * by a client that did not receive the response. The client waits until the thread no longer lists the answered call, and until the
 * background work of the thread and of the calls' threads is done. The run may be over after the last answer.
 */
async function asks(id: string): Promise<void> {
  await says("asks")(id);
  let sent: PostedResult | null = null;
  const post = (result: PostedResult) => value(stubOf(id).call("postToolResults", admin, { results: [result] }));
  await vi.waitUntil(async () => {
    const { status, pending_tool_calls: pending } = await value(stubOf(id).call("describe", admin));
    const [call] = pending;
    if (call === undefined) return status === "idle";
    if (pending.some((one) => one.id === sent?.tool_call_id)) return false;
    const threads = new Set([id, ...pending.map(({ thread_id = id }) => thread_id)]);
    for (const thread of threads) if (!(await isQuiet(thread))) return false;
    if (sent !== null) await post(sent);
    sent = answerTo(call);
    await post(sent);
    return pending.length === 1;
  }, timeoutMs);
}

/** Reaches a limit in the middle of a sub-prompt, and raises it as a client that asks at intervals. */
async function raises(id: string): Promise<void> {
  const limits = { steps: 2, on_limit: "rest" } as const;
  await value(stubOf(id).call("postMessage", admin, message(`limits ${id}`, { limits }), key));
  const waits = async () => {
    const { status, pending_tool_calls: pending } = await value(stubOf(id).call("describe", admin));
    return pending.length > 0 ? (await isQuiet(id)) && "raise" : status === "idle" && "over";
  };
  if ((await vi.waitUntil(waits, timeoutMs)) === "over") return;
  const raise = { key: "raise", fingerprint: "raise" };
  await value(stubOf(id).call("postRun", admin, { kind: "continue", limits: { steps: 9 } }, raise));
}

function answerTo({ id, name, kind }: PendingCall): PostedResult {
  if (kind === "remote") return { tool_call_id: id, result: "answered" };
  if (name === "fault_refused") return { tool_call_id: id, approved: false, error: "No." };
  return { tool_call_id: id, approved: true, ...(name === "fault_pay" ? { args: { task: "changed" } } : {}) };
}

/** Conversations that are killed only at points where few others were. */
export const plays: [name: string, conversation: Play][] = [
  ["tools side by side, a sub-prompt, a handoff and a retry", team],
  ["an agent in a thread of its own", { agent: "fault_boss", begin: says("go") }],
  ["a call that a client answers", { agent: "fault_asker", begin: asks }],
  ["a limit in a sub-prompt, which is raised", { agent: "fault_desk", begin: raises }],
  ["calls that need consent", { agent: "fault_payer", begin: asks }],
  ["calls of a thread below", { agent: "fault_host", begin: asks }],
  ["a model that fails for good", { agent: "fault_desk", begin: says("fails") }],
  [
    "a run without a message",
    {
      agent: "fault_clerk",
      extra: { initial_messages: [{ role: "user", content: "first" }] },
      begin: (id) => value(stubOf(id).call("postRun", admin, { kind: "continue" }, key)),
    },
  ],
  [
    "a call that an invoked tool queues",
    {
      agent: "fault_clerk",
      begin: async (id) => {
        // A direct tool call has no idempotency key, so the outcome of an unanswered one is read from the list of runs.
        const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "asc" }));
        if (items.length === 0) await value(stubOf(id).call("invokeTool", admin, "enqueue", {}));
      },
    },
  ],
];

/** Messages that exceed the budget of the prompts below. */
const earlier = {
  initial_messages: Array.from({ length: 8 }, (_, at) => ({ role: "user", content: `${at} ${"word ".repeat(160)}` })),
};

/** Conversations that are killed at every point they reach, whatever other ones were killed there. */
export const rarePlays: [name: string, conversation: Play][] = [
  ["a structured answer that matches at the second attempt", { agent: "fault_former", begin: says("forms") }],
  ["an agent whose model is missing", { agent: "fault_stray", begin: says("go") }],
  ["an agent that reasons before it acts", { agent: "fault_thinker", begin: says("go") }],
  ["an agent that carries out a plan", { agent: "fault_planner", begin: says("go") }],
  ["an agent whose strategy limits the tools of each step", { agent: "fault_booker", begin: asks }],
  ["a message that joins the run", { agent: "fault_clerk", begin: (id) => steersTalk(id) }],
  ["a message that interrupts the run", { agent: "fault_clerk", begin: (id) => interruptsBusy(id) }],
  ["a message that joins a run that waits for its client", { agent: "fault_asker", begin: (id) => steersAsking(id) }],
  ["a request that its model refuses as too large", { agent: "fault_desk", begin: says("large", "x".repeat(8000)) }],
  ["a conversation that a model summarizes", { agent: "fault_summary", extra: earlier, begin: says("short") }],
  [
    "a conversation with too little budget for a summary",
    { agent: "fault_frugal", extra: earlier, begin: says("short") },
  ],
  ["a conversation that a function summarizes", { agent: "fault_own_summary", extra: earlier, begin: says("short") }],
  ["an answer that is given again on a new branch", { agent: "fault_clerk", begin: (id) => answersAgain(id, {}) }],
  ["calls whose results a new branch takes", { agent: "fault_desk", begin: (id) => answersAgain(id, {}, "go") }],
  [
    "a message that is replaced on a new branch",
    { agent: "fault_clerk", begin: (id) => answersAgain(id, { kind: "branch", content: `short ${id} again` }) },
  ],
  ["a new branch that interrupts the run", { agent: "fault_clerk", begin: (id) => branchesBusy(id) }],
  ["a message that interrupts such a run", { agent: "fault_asker", begin: (id) => speaksToAsking(id, "interrupt") }],
];

/** Conversations with tools of a definition that has many tools. The object is killed at every fault point that they reach. */
export const sourcePlays: [name: string, conversation: Play][] = [
  ["calls of tools of a definition that has many", { agent: "fault_outer", begin: asks }],
  [
    "an invoked tool of a definition that has many",
    {
      agent: "fault_clerk",
      begin: async (id) => {
        const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "asc" }));
        if (items.length === 0) await value(stubOf(id).call("invokeTool", admin, "outer__look", {}));
        await says("short")(id);
      },
    },
  ],
];

/** Steers while the run waits for its client, who answers afterwards. */
async function steersAsking(id: string): Promise<void> {
  await speaksToAsking(id, "steer");
  await asks(id);
}

async function speaksToAsking(id: string, when: "steer" | "interrupt"): Promise<unknown> {
  await says("asks")(id);
  const first = { limit: 1, order: "asc" as const };
  // After a crash the run may be active again, so the list is read until it is not.
  const isAtWork = async () => (await value(stubOf(id).call("listRuns", admin, first))).items[0]?.status === "running";
  await vi.waitUntil(async () => !(await isAtWork()) && (await isQuiet(id)), timeoutMs);
  const aside = message(`aside ${id}`, { when });
  return value(stubOf(id).call("postMessage", admin, aside, { key: "aside", fingerprint: "aside" }));
}

/** Steers while a tool of the run waits for the message. */
async function steersTalk(id: string): Promise<unknown> {
  await says("talk")(id);
  // The test asks repeatedly: the object may have died, and a request loads it.
  await vi.waitUntil(async () => (await stubOf(id).call("describe", admin)) && steered.waiting.has(id), timeoutMs);
  const aside = message(`aside ${id}`, { when: "steer" });
  const answer = await value(stubOf(id).call("postMessage", admin, aside, { key: "aside", fingerprint: "aside" }));
  steered.received.add(id);
  return answer;
}

/** Interrupts a run during its back-off. A repeated request finds the run interrupted, or ended. */
async function interruptsBusy(id: string): Promise<unknown> {
  await says("busy")(id);
  const attempts = { limit: 1, order: "asc" as const, type: "llm_request" as const };
  const attempted = async () => (await value(stubOf(id).call("listLogs", admin, attempts))).items.length > 0;
  await vi.waitUntil(attempted, timeoutMs);
  const now = message(`short ${id}`, { when: "interrupt" });
  return value(stubOf(id).call("postMessage", admin, now, { key: "now", fingerprint: "now" }));
}

/** Sends a message, and makes a branch from it when its run has ended. */
async function answersAgain(id: string, input: Partial<PostRun>, kind = "short"): Promise<unknown> {
  await says(kind)(id);
  const isIdle = async () => (await value(stubOf(id).call("describe", admin))).status === "idle";
  await vi.waitUntil(async () => (await isIdle()) && (await isQuiet(id)), timeoutMs);
  return branchesFromFirst(id, input);
}

/** Replaces the message of a run during the run's back-off. A repeated request finds the run interrupted, or ended. */
async function branchesBusy(id: string): Promise<unknown> {
  await says("busy")(id);
  const attempts = { limit: 1, order: "asc" as const, type: "llm_request" as const };
  const attempted = async () => (await value(stubOf(id).call("listLogs", admin, attempts))).items.length > 0;
  await vi.waitUntil(attempted, timeoutMs);
  return branchesFromFirst(id, { kind: "branch", content: `short ${id}`, when: "interrupt" });
}

/** Makes a branch from the first message of the thread, once. */
async function branchesFromFirst(id: string, input: Partial<PostRun>): Promise<unknown> {
  const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 1, order: "asc" }));
  const from = items[0]?.message_ids[0] ?? (await firstMessage(id));
  const body = { kind: "rerun" as const, from, ...input };
  return value(stubOf(id).call("postRun", admin, body, { key: "branch", fingerprint: "branch" }));
}

async function firstMessage(id: string): Promise<string> {
  const first = { limit: 1, order: "asc" as const, include_silent: false };
  return (await value(stubOf(id).call("listMessages", admin, first))).items[0]?.id ?? "";
}

/** A conversation whose step cannot be prepared. */
export const lost: Play = { agent: "fault_lost", begin: says("go") };
