// Completes streams of the Messages API. Invariant: an answer whose stop reason arrived has its last event, although the body may end
// without it.

import { endsAnswer } from "./answer-lines.ts";
import type { StreamRepair } from "./stream-repair.ts";

const lastEvent = JSON.stringify({ type: "message_stop" });

/** Repairs the events of one answer. */
export class AnthropicRepair implements StreamRepair {
  #lacksEnd = false;

  take(data: string): string[] {
    if (endsAnswer(data)) this.#lacksEnd = true;
    else if (data.includes('"message_stop"')) this.#lacksEnd = false;
    return [data];
  }

  end(): string[] {
    return this.#lacksEnd ? [lastEvent] : [];
  }
}
