// What one execution cost: every answer told in it, also on nested lines, and what child threads report. Told from what is
// said once, since a run that rests in between counts all its parts together.

import type { PlainEvent } from "../event.ts";
import { addCost } from "../usage.ts";

/** A sum in USD; null as soon as a price was missing. */
export class CostOfExecution {
  readonly #counted = new Set<string>();
  #sum: number | null = 0;

  get sum(): number | null {
    return this.#sum;
  }

  /** Counts what an event says was spent. */
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
