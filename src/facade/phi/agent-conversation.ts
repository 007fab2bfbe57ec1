// The messages of an agent, and what is kept of its loops: the beginning of its requests stays the same over its prompts, and programs read
// what a loop used.

import type { AgentContext } from "./agent-context.ts";
import { AgentSession } from "./agent-ids.ts";
import type { ContextTracker } from "./context/context-tracker.ts";
import type { ExecutionTracker } from "./context/execution-tracker.ts";
import { passSending, sendingOf } from "./context/kept-sending.ts";
import type { AgentMessage } from "./loop-messages.ts";

/** An agent's messages and trackers. */
export class AgentConversation extends AgentSession {
  messages: AgentMessage[] = [];
  /** The context of the last loop. */
  #context: AgentContext | null = null;

  /** Tracks the tokens of the messages that the next request will extend (REQ-136). Null before the first loop. */
  get contextTracker(): ContextTracker | null {
    if (this.#context === null) return null;
    const { messages } = this.isStreaming ? this.#context : this;
    return sendingOf(this.#context)?.sent.tracked(messages) ?? null;
  }

  /** The turns, tokens and time of the loop that runs, or else of the last loop (REQ-012). Null before the first loop, and without limits. */
  get executionTracker(): ExecutionTracker | null {
    return this.#context === null ? null : (sendingOf(this.#context)?.execution ?? null);
  }

  /** Begins a loop with a context: its requests extend those of the last loop, as far as the messages are still the same. */
  protected continueSending(context: AgentContext): void {
    if (this.#context !== null) passSending(this.#context, context);
    this.#context = context;
  }

  /** Begins without a last loop. */
  protected forgetSending(): void {
    this.#context = null;
  }
}
