// A queue of messages that users send while an agent works (REQ-017, 066, 090).

import type { AgentMessage } from "./loop-messages.ts";

/** How many messages one read takes: one, or all. */
export type QueueMode = "OneAtATime" | "All";

/** A queue. Reading and adding are synchronous, so no message is read twice. */
export class MessageQueue {
  #messages: AgentMessage[] = [];

  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  take(mode: QueueMode): AgentMessage[] {
    return mode === "All" ? this.#messages.splice(0) : this.#messages.splice(0, 1);
  }

  /** Removes all messages and returns them. */
  clear(): AgentMessage[] {
    return this.#messages.splice(0);
  }

  /** The waiting messages, in order. */
  get messages(): readonly AgentMessage[] {
    return [...this.#messages];
  }
}
