// Completes streams of the Messages API. Invariant: an answer whose stop reason arrived has its last event, although the body may end
// without it.

import { FinishedAnswer } from "./finished-answer.ts";
import type { StreamRepair } from "./stream-repair.ts";

const lastEvent = JSON.stringify({ type: "message_stop" });

/** Repairs the events of one answer. */
export class AnthropicRepair implements StreamRepair {
  readonly #finish = new FinishedAnswer();
  #hasEnd = false;

  take(data: string): string[] {
    this.#finish.read(data);
    if (data.includes('"message_stop"')) this.#hasEnd = true;
    return [data];
  }

  end(): string[] {
    return this.#finish.isFinished && !this.#hasEnd ? [lastEvent] : [];
  }
}
