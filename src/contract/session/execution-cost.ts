// Sums up the cost of one execution: every answer that was emitted during it, also in nested scopes, and the totals of child threads.
// Totals of the run cannot be used, because the totals of a run that was suspended include earlier executions.

import type { PlainEvent } from "../event.ts";
import { addCost } from "../usage.ts";

/** A sum in USD; null once a price is unknown. */
export class CostOfExecution {
  readonly #counted = new Set<string>();
  #sum: number | null = 0;

  get sum(): number | null {
    return this.#sum;
  }

  /** Adds the cost that an event reports, once for each message and child thread. */
  take(event: PlainEvent): void {
    if (event.type === "message_end") {
      const { id, usage, cost } = event.message;
      if (usage !== null && event.message.role !== "tool") this.#add(id, cost);
    } else if (event.type === "subagent_end" && event.child_thread_id !== undefined) {
      this.#add(event.parent_tool_call_id, event.cost);
    }
  }

  #add(id: string, cost: number | null): void {
    if (this.#counted.has(id)) return;
    this.#counted.add(id);
    this.#sum = addCost(this.#sum, cost);
  }
}
