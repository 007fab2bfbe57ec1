// What other threads are still to be told: a result for the parent, a stop for a child. Kept in the thread's row until the
// other side heard it; what fails is tried again by the alarm.

import { ThreadholdError } from "#contract/error.ts";
import { addCost } from "#contract/usage.ts";
import type { Delivered } from "#core/awaited.ts";
import type { Outgoing, OutgoingWord, RunRecord } from "#core/record.ts";
import { peerCaller } from "#core/thread-peer.ts";
import type { Answer } from "#core/thread-rpc.ts";
import { settle } from "#core/tools/settle.ts";

import type { ObjectContext } from "../object-context.ts";
import { callsForParent } from "./child-calls.ts";
import { owe } from "./owe.ts";

/**
 * Pauses after failures, in milliseconds: doubling from the first to the last, so that an answer is late by no more than its
 * reader was away. They stand in the row, since the thread is evicted meanwhile. There is no last try: a thread that is there
 * hears it some day, and one that is not says so.
 */
const firstRetryMs = 2000;
const longestRetryMs = 60 * 60_000;

/** One per object. */
export class Outgoings {
  readonly #context: ObjectContext;
  #running: Promise<void> | null = null;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** True while somebody has still to hear something. */
  get pending(): boolean {
    return (this.#context.live.record.outgoing ?? []).length > 0;
  }

  /** When what failed is due again, in microseconds; null where something is still to be tried, or nothing is left. */
  get retryAt(): number | null {
    const times = (this.#context.live.record.outgoing ?? []).map(({ retry }) => retry?.at ?? null);
    return times.reduce((first, at) => (first === null || at === null ? null : Math.min(first, at)), times[0] ?? null);
  }

  /** Remembers it; the caller writes the thread's row. What is on its way already is told once more. */
  append(item: OutgoingWord): void {
    owe(this.#context.live, item);
  }

  /** Remembers it, written at once. Part of the caller's transaction where there is one. */
  add(item: OutgoingWord): void {
    this.append(item);
    this.#context.live.save();
  }

  /** Tells everybody who is not left alone for a while; one flush at a time. */
  flush(): Promise<void> {
    this.#running ??= this.#flushAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #flushAll(): Promise<void> {
    const { live, clock } = this.#context;
    for (;;) {
      const now = clock.now();
      const item = (live.record.outgoing ?? []).find(({ retry }) => retry === undefined || retry.at <= now);
      if (item === undefined) break;
      const left = await this.#toldOrLeft(item);
      // The thread was deleted while the other side listened.
      if (live.retired) return;
      live.change({ outgoing: (live.record.outgoing ?? []).flatMap((known) => (known === item ? left : [known])) });
      live.save();
    }
  }

  /** Nothing once it is told; else what is left to be told later. */
  async #toldOrLeft(item: Outgoing): Promise<Outgoing[]> {
    const { live, clock } = this.#context;
    try {
      await this.#tell(item);
      return [];
    } catch (cause) {
      if (live.retired) return [];
      const failures = (item.retry?.failures ?? 0) + 1;
      const pause = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs);
      const thread_id = live.record.id;
      console.error(JSON.stringify({ event: "thread_unreachable", thread_id, failures, cause: String(cause) }));
      return [{ ...item, retry: { failures, at: clock.now() + pause * 1000 } }];
    }
  }

  /** Rejects when it was not heard. A thread that is gone, or refuses, has heard all it ever will. */
  async #tell(item: Outgoing): Promise<void> {
    const { live, threads, feed } = this.#context;
    if (item.type === "stop") {
      heard(await threads(item.thread_id).call("stop", peerCaller, null));
      return;
    }
    const { parent, id } = live.record;
    if (item.type === "calls") {
      if (parent === null) return;
      await feed?.drain();
      const told = { from: id, message_id: parent.message_id, calls: callsForParent(this.#context) };
      heard(await threads(parent.thread_id).call("childCalls", peerCaller, told));
      return;
    }
    const run = live.store.run(item.run_id);
    if (parent === null || run === null) return;
    await feed?.drain();
    const answer = childAnswer(run, item.tool_executions);
    heard(
      await threads(parent.thread_id).call("deliver", peerCaller, {
        ...answer,
        from: id,
        message_id: parent.message_id,
      }),
    );
  }
}

/** An object that is overloaded or broke inside may hear it later. */
function heard(answer: Answer<unknown>): void {
  if (answer.ok) return;
  const { code } = answer.refusal;
  if (code === "internal" || code === "unavailable") throw new ThreadholdError(answer.refusal);
}

/** What a child's run comes to for its parent (decision 6). */
function childAnswer(run: RunRecord, tool_executions: number): Delivered {
  const { usage, cost, work } = run;
  const told = { usage, cost: addCost(0, cost), tool_executions };
  return { answer: settle(resultOf(run)), ...told, ...(work === undefined ? {} : { work }) };
}

function resultOf({ status, outcome, text, error }: RunRecord): Delivered["answer"] {
  if (status === "stopped") return { status: "error", error: "The agent was stopped before it was done." };
  if (status === "error") return { status: "error", error: error?.message ?? "The agent failed." };
  if (outcome !== null) {
    return { status: "success", result: typeof outcome === "string" ? outcome : JSON.stringify(outcome) };
  }
  return { status: "success", result: text ?? "(The agent ended without a word.)" };
}
