// Messages to other threads: a result for the parent, the calls that wait for a client, a stop for a child. The thread's row keeps each
// message until the other thread has received it. The number of attempts is not limited: an existing thread receives its message
// eventually, and a missing one refuses it.

import { ThreadholdError } from "#contract/error.ts";
import { addCost } from "#contract/usage.ts";
import type { Delivered, WaitingCall } from "#core/record/awaited.ts";
import type { OutboundContent, OutboundMessage, ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";
import type { Result } from "#core/rpc/thread-rpc.ts";
import { fitResult } from "#core/tools/read-result.ts";
import { causeOf } from "#lib/log-port.ts";

import { nextRetry } from "../background-task.ts";
import type { BackgroundTask } from "../background-task.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import type { ParentFeed } from "./parent-feed.ts";

/**
 * Pauses after failures, in milliseconds. They double, so the delay of a message is at most about as long as its receiver could not be
 * reached.
 */
const pauses = { firstMs: 2000, longestMs: 60 * 60_000 };

/** Adds a message; the caller writes the thread's row. If a message of the same kind is just being sent, the new one is sent after it. */
export function enqueueMessage(live: LiveThread, message: OutboundContent): void {
  const messages = live.record.background.outbound ?? [];
  const existing = messages.find((one) => isSame(one, message));
  const others = messages.filter((one) => one !== existing);
  live.changeBackground({ outbound: [...others, { ...(existing ?? message) }] });
}

/**
 * In a child thread, adds a message with the calls that wait for a client, because the parent accepts their results. The caller writes the
 * row.
 */
export function enqueueCalls(live: LiveThread): void {
  if (live.record.parent !== null) enqueueMessage(live, { type: "calls" });
}

function isSame(one: OutboundContent, other: OutboundContent): boolean {
  if (one.type === "result") return other.type === "result" && one.run_id === other.run_id;
  if (one.type === "calls") return other.type === "calls";
  return other.type === "stop" && one.thread_id === other.thread_id;
}

/** The parts of a thread that send its messages. */
interface SendingThread extends DeployedThread {
  feed: ParentFeed | null;
}

/** Sends the messages of one thread to other threads. Each thread's object has one such task. */
export class OutboundMessages implements BackgroundTask {
  readonly #context: SendingThread;
  #running: Promise<void> | null = null;

  constructor(context: SendingThread) {
    this.#context = context;
  }

  get #messages(): readonly OutboundMessage[] {
    return this.#context.live.record.background.outbound ?? [];
  }

  get pending(): boolean {
    return this.#messages.length > 0;
  }

  get dueAt(): number | null {
    const times = this.#messages.map(({ retry }) => retry?.at ?? null);
    return times.reduce((first, at) => (first === null || at === null ? null : Math.min(first, at)), times[0] ?? null);
  }

  /** Sends the messages that are due, one after the other. A second call waits for the first. */
  run(): Promise<void> {
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #sendAll(): Promise<void> {
    const { live } = this.#context;
    const { clock } = this.#context.deployment;
    for (;;) {
      const now = clock.now();
      const message = this.#messages.find(({ retry }) => retry === undefined || retry.at <= now);
      if (message === undefined) break;
      const remaining = await this.#sendOrRetry(message);
      // The thread was deleted while the other thread answered.
      if (live.retired) return;
      live.changeBackground({ outbound: this.#messages.flatMap((one) => (one === message ? remaining : [one])) });
      live.save();
    }
  }

  /** Sends a message. Returns its replacement in the row: none if it was received, else the message with the time of its next attempt. */
  async #sendOrRetry(message: OutboundMessage): Promise<OutboundMessage[]> {
    const { live } = this.#context;
    const { log } = this.#context.deployment;
    try {
      await this.#send(message);
      return [];
    } catch (cause) {
      if (live.retired) return [];
      const retry = nextRetry(message.retry, this.#context.deployment, pauses);
      const { failures } = retry;
      const thread_id = live.record.id;
      log("error", "thread_unreachable", { thread_id, failures, cause: causeOf(cause) });
      return [{ ...message, retry }];
    }
  }

  /**
   * Sends a message. Rejects if the other thread did not receive it. If that thread refuses the message or does not exist, the message
   * counts as received. A thread whose parent does not exist any more is deleted.
   */
  async #send(message: OutboundMessage): Promise<void> {
    const { live, feed } = this.#context;
    const { threads } = this.#context.deployment;
    if (message.type === "stop") {
      assertReceived(await threads(message.thread_id).call("stop", peerCaller, null));
      return;
    }
    const { parent, id } = live.record;
    if (message.type === "calls") {
      if (parent === null) return;
      await feed?.drain();
      const calls = { from: id, message_id: parent.message_id, calls: callsForParent(live.record) };
      await this.#receivedByParent(await threads(parent.thread_id).call("childCalls", peerCaller, calls));
      return;
    }
    const run = live.store.run(message.run_id);
    if (parent === null || run === null) return;
    await feed?.drain();
    const delivery = { ...deliveryOf(run, message.tool_executions), from: id, message_id: parent.message_id };
    await this.#receivedByParent(await threads(parent.thread_id).call("deliver", peerCaller, delivery));
  }

  /**
   * Deletes this thread if its parent was deleted: the request that created this thread arrived after the deletion of the parent's children,
   * and the parent's object died before it could delete this one.
   */
  async #receivedByParent(answer: Result<unknown>): Promise<void> {
    assertReceived(answer);
    if (answer.ok || answer.refusal.code !== "thread_not_found") return;
    const { live } = this.#context;
    const { threads } = this.#context.deployment;
    await threads(live.record.id).call("remove", peerCaller, true);
  }
}

/** The calls for which a child waits now, with the arguments that its row contains. While its run is executed, only questions wait. */
function callsForParent({ id, status, pending = [] }: Readonly<ThreadRecord>): WaitingCall[] {
  const waiting = pending.filter(({ kind }) => kind === "question" || status === "awaiting_tool_execution");
  return waiting.map(({ thread_id = id, ...call }) => ({ ...call, thread_id }));
}

/** Throws for an object that failed or is overloaded: it may receive the message later. */
function assertReceived(answer: Result<unknown>): void {
  if (answer.ok) return;
  const { code } = answer.refusal;
  if (code === "internal" || code === "unavailable") throw new ThreadholdError(answer.refusal);
}

/** The result that a child's run delivers to its parent (decision 6: how a child's end becomes its call's result). */
function deliveryOf(run: RunRecord, tool_executions: number): Delivered {
  const { usage, cost, work } = run;
  const spent = { usage, cost: addCost(0, cost), tool_executions };
  return { answer: fitResult(resultOf(run)), ...spent, ...(work === undefined ? {} : { work }) };
}

function resultOf({ status, outcome, text, error }: RunRecord): Delivered["answer"] {
  if (status === "stopped") return { status: "error", error: "The agent was stopped before it was done." };
  if (status === "error") return { status: "error", error: error?.message ?? "The agent failed." };
  if (outcome !== null) {
    return { status: "success", result: typeof outcome === "string" ? outcome : JSON.stringify(outcome) };
  }
  return { status: "success", result: text ?? "(The agent ended without a word.)" };
}
