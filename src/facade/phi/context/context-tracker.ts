// Tracks the tokens of what a loop sends (REQ-136): the last count of the provider, and estimates of the messages after it.

import { countedConversation } from "#core/context/measured-tokens.ts";
import { beginsWith } from "#lib/begins-with.ts";

import type { AgentMessage } from "../loop-messages.ts";
import { HeuristicTokenCounter, totalTokens } from "./token-counter.ts";
import type { TokenCounter } from "./token-counter.ts";

/** Tracks the tokens of a growing list of messages. */
export class ContextTracker {
  readonly #counter: TokenCounter;
  #messages: readonly AgentMessage[] = [];
  /** The provider's count of the messages before `end`, including the system prompt and the tools. */
  #counted: { tokens: number; end: number } | null = null;

  /** `counter` estimates the messages that no provider has counted yet. */
  constructor(counter: TokenCounter = new HeuristicTokenCounter()) {
    this.#counter = counter;
  }

  /**
   * Takes the current list. If it begins with the previous one, the newest of the added answers with a token count replaces the earlier
   * count. If not, the list was rewritten: the provider's count is dropped, because it includes messages that are no longer sent.
   */
  track(messages: readonly AgentMessage[]): void {
    const isContinued = beginsWith(messages, this.#messages);
    const known = this.#messages.length;
    this.#messages = [...messages];
    if (!isContinued) {
      this.#counted = null;
      return;
    }
    for (let at = messages.length - 1; at >= known; at -= 1) {
      const message = messages[at] as AgentMessage;
      const tokens = message.role === "assistant" ? countedConversation(message.usage) : null;
      if (tokens === null) continue;
      this.#counted = { tokens, end: at + 1 };
      return;
    }
  }

  /** The tokens of the current list: the last count of the provider, and estimates of the messages after it. */
  currentTokens(): number {
    const { tokens, end } = this.#counted ?? { tokens: 0, end: 0 };
    return tokens + totalTokens(this.#messages.slice(end), this.#counter);
  }

  /** Forgets the list and the count. */
  reset(): void {
    this.#messages = [];
    this.#counted = null;
  }
}
