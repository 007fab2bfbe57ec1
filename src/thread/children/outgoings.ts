// What other threads are still to be told: a result for the parent, a stop for a child. Kept in the thread's row until the
// other side heard it; what fails is tried again by the alarm.

import { addCost } from "#contract/usage.ts";
import type { Delivered, Outgoing, RunRecord } from "#core/record.ts";
import { peerCaller } from "#core/thread-peer.ts";
import type { Answer } from "#core/thread-rpc.ts";
import { settle } from "#core/tools/settle.ts";

import type { ObjectContext } from "../object-context.ts";

/** Pauses after failures, in milliseconds: doubling from the first to the last. */
const firstRetryMs = 2000;
const longestRetryMs = 5 * 60_000;

/** One per object. */
export class Outgoings {
  readonly #context: ObjectContext;
  #running: Promise<void> | null = null;
  #failures = 0;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** True while somebody has still to hear something. */
  get pending(): boolean {
    return (this.#context.live.record.outgoing ?? []).length > 0;
  }

  /** Remembers it, written at once. Part of the caller's transaction where there is one. */
  add(item: Outgoing): void {
    const { live } = this.#context;
    live.change({ outgoing: [...(live.record.outgoing ?? []), item] });
    live.save();
  }

  /** Tells everybody; one flush at a time. */
  flush(): Promise<void> {
    this.#running ??= this.#flushAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #flushAll(): Promise<void> {
    const { live, alarm, clock } = this.#context;
    for (;;) {
      const [item] = live.record.outgoing ?? [];
      if (item === undefined) return;
      try {
        await this.#tell(item);
      } catch (cause) {
        if (live.retired) return;
        this.#failures += 1;
        const pause = Math.min(firstRetryMs * 2 ** (this.#failures - 1), longestRetryMs);
        alarm.notAfter(clock.now() / 1000 + pause);
        console.error(JSON.stringify({ event: "thread_unreachable", thread_id: live.record.id, cause: String(cause) }));
        return;
      }
      // The thread was deleted while the other side listened.
      if (live.retired) return;
      this.#failures = 0;
      live.change({ outgoing: (live.record.outgoing ?? []).filter((known) => known !== item) });
      live.save();
    }
  }

  /** Rejects when it was not heard. A thread that is gone, or refuses, has heard all it ever will. */
  async #tell(item: Outgoing): Promise<void> {
    const { live, threads, feed } = this.#context;
    if (item.type === "stop") {
      heard(await threads(item.thread_id).stop(peerCaller, null));
      return;
    }
    const { parent, id } = live.record;
    const run = live.store.run(item.run_id);
    if (parent === null || run === null) return;
    await feed?.drain();
    const answer = childAnswer(run, item.tool_executions);
    heard(await threads(parent.thread_id).deliver({ ...answer, from: id, message_id: parent.message_id }));
  }
}

/** An object that is overloaded or broke inside may hear it later. */
function heard(answer: Answer<unknown>): void {
  if (answer.ok) return;
  const { code, message } = answer.refusal;
  if (code === "internal" || code === "unavailable") throw new Error(message);
}

/** What a child's run comes to for its parent (decision 6). */
export function childAnswer(run: RunRecord, tool_executions: number): Delivered {
  return { answer: settle(resultOf(run)), usage: run.usage, cost: addCost(0, run.cost), tool_executions };
}

function resultOf({ status, outcome, text, error }: RunRecord): Delivered["answer"] {
  if (status === "stopped") return { status: "error", error: "The agent was stopped before it was done." };
  if (status === "error") return { status: "error", error: error?.message ?? "The agent failed." };
  if (outcome !== null) {
    return { status: "success", result: typeof outcome === "string" ? outcome : JSON.stringify(outcome) };
  }
  return { status: "success", result: text ?? "(The agent ended without a word.)" };
}
