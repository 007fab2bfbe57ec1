// The messages that users send while a loop works: those that steer it, and those that follow it. They are taken from the caller's
// functions at the points where the document reads its queues, filtered, and joined to the next turn. A message that was taken is never
// lost: it is in the context when the loop has ended.

import type { Steering } from "#core/ports/steering.ts";
import { errorMessage } from "#lib/cut-text.ts";

import { checkMessages } from "./agent-context.ts";
import { filterInput } from "./filtered-input.ts";
import type { AgentLoopConfig } from "./loop-config.ts";
import { LoopError } from "./loop-error.ts";
import type { AgentMessage } from "./loop-messages.ts";
import { isWronglyAsync } from "./program-functions.ts";

type InputOptions = Pick<AgentLoopConfig, "getSteeringMessages" | "getFollowUpMessages" | "inputFilters">;

/** The messages of one loop that were taken from the queues. */
export class LoopInput {
  readonly #config: InputOptions;
  readonly #signal: AbortSignal;
  readonly #rejected: (reason: string) => void;
  /** Taken from a queue, and waiting for the next step. */
  #waiting: AgentMessage[] = [];
  /** Joined to the next turn, whose hook emits them. */
  #joined: AgentMessage[] = [];

  /** `rejected` receives the reason for each message that no filter has accepted. `signal` ends the waits for filters. */
  constructor(config: InputOptions, { signal, rejected }: { signal: AbortSignal; rejected: (reason: string) => void }) {
    this.#config = config;
    this.#signal = signal;
    this.#rejected = rejected;
  }

  /** The port of the core's loop. */
  get steering(): Steering {
    const isWaiting = (): boolean => this.#waiting.length > 0;
    return {
      get waiting() {
        return isWaiting();
      },
      join: () => {
        this.#joined.push(...this.#waiting.splice(0));
      },
    };
  }

  /** Puts messages before those of the queues: the prompts of the loop. They join the first turn. */
  begin(prompts: readonly AgentMessage[]): void {
    this.#joined.push(...prompts);
  }

  /** Reads a queue, unless messages of an earlier read still wait, or the loop is cancelled: then the next loop reads the queue. */
  async poll(queue: "steering" | "followUp"): Promise<void> {
    if (this.#waiting.length > 0 || this.#signal.aborted) return;
    const name = queue === "steering" ? "getSteeringMessages" : "getFollowUpMessages";
    if (this.#config[name] === undefined) return;
    const taken: unknown = this.#config[name]();
    if (isWronglyAsync(taken))
      throw new LoopError(`The option \`${name}\` returned a promise. It has to be synchronous.`);
    checkMessages(name, taken, "return");
    const unread = [...(taken as AgentMessage[])];
    try {
      for (; unread[0] !== undefined; unread.shift()) {
        const filtered = await filterInput([unread[0]], this.#config.inputFilters ?? [], this.#signal);
        if ("rejection" in filtered) this.#rejected(filtered.rejection);
        else this.#waiting.push(...filtered.prompts);
      }
    } catch (error) {
      // No model reads a message that no filter has accepted.
      for (const _ of unread) this.#rejected(errorMessage(error));
      throw error;
    }
  }

  /** The messages of the next turn. */
  takeJoined(): AgentMessage[] {
    return this.#joined.splice(0);
  }

  /** All messages that were taken and are in no turn. */
  takeAll(): AgentMessage[] {
    return [...this.#joined.splice(0), ...this.#waiting.splice(0)];
  }
}
