// The messages of one loop: appends them to the context and to the list that the loop returns, and emits their events. Each message is
// emitted once, with a start and an end.

import { addUsage } from "#contract/usage.ts";

import type { AgentContext } from "./agent-context.ts";
import type { AgentEvent } from "./loop-event.ts";
import { zeroTokens } from "./loop-messages.ts";
import type { AgentMessage, Message, Usage } from "./loop-messages.ts";

/** The messages of one loop. */
export class LoopTranscript {
  readonly context: AgentContext & { loop_id: string };
  readonly emit: (event: AgentEvent) => void;
  /** The new messages of the loop. */
  readonly added: AgentMessage[];
  usage: Usage = zeroTokens();
  /** The prompts are in the context. Their events follow with the first turn. */
  #unshown: AgentMessage[];

  constructor(
    context: AgentContext & { loop_id: string },
    emit: (event: AgentEvent) => void,
    prompts: readonly AgentMessage[],
  ) {
    this.context = context;
    this.emit = emit;
    this.added = [...prompts];
    this.#unshown = [...prompts];
  }

  get loopId(): string {
    return this.context.loop_id;
  }

  /** Emits the prompts, unless they were. */
  showPrompts(): void {
    for (const message of this.#unshown.splice(0)) this.show(message);
  }

  /** Appends messages and emits them. */
  append(messages: readonly AgentMessage[]): void {
    this.keep(messages);
    for (const message of messages) this.show(message);
  }

  /** Appends messages that were emitted before. */
  keep(messages: readonly AgentMessage[]): void {
    this.context.messages.push(...messages);
    this.added.push(...messages);
  }

  /** Counts the tokens of a message. */
  count({ usage }: Extract<Message, { role: "assistant" }>): void {
    this.usage = addUsage(this.usage, usage);
  }

  show(message: AgentMessage): void {
    this.emit({ type: "MessageStart", loop_id: this.loopId, message });
    this.emit({ type: "MessageEnd", loop_id: this.loopId, message });
  }
}
