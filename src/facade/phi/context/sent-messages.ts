// The messages that a loop sends (REQ-060, REQ-077, decision 23: compaction rewrites what is sent, and the sent prefix stays the same
// between two rewrites). The context keeps all messages, unless the configuration says otherwise.

import { beginsWith } from "#lib/begins-with.ts";
import { isUnchanged, plainCopy } from "#lib/plain-copy.ts";

import { LoopError } from "../loop-error.ts";
import type { AgentMessage } from "../loop-messages.ts";
import { isLlmMessage } from "../loop-messages.ts";
import { compactTo } from "./compact-messages.ts";
import { compactBy } from "./compaction-strategy.ts";
import type { CompactionStrategy } from "./compaction-strategy.ts";
import { completeContextConfig, defaultContextConfig, messageBudget } from "./context-config.ts";
import type { CompleteContextConfig, ContextConfig } from "./context-config.ts";
import { ContextTracker } from "./context-tracker.ts";
import { countedOnce, totalTokens } from "./token-counter.ts";

/** The part of the budget that a rewritten list may have, so that many messages can be added before the next rewrite. */
const rewrittenShare = 3 / 4;

/** The part of the tokens of a refused request that the next one may have. */
const refusedShare = 2 / 3;

/** The tokens of messages below which a request is too large because of its system prompt or its tools. */
const leastRefused = 64;

/** How a loop's messages are compacted. Without `contextConfig`, all messages are sent. */
export interface SentMessagesOptions {
  contextConfig?: ContextConfig | undefined;
  compactionStrategy?: CompactionStrategy | undefined;
}

/** A list that was sent in place of the first messages of a context. */
interface Rewrite {
  from: readonly AgentMessage[];
  /** The contents of `from` as they were then: a program may change a message in place, and the list that was sent contains parts of it. */
  contents: readonly unknown[];
  to: readonly AgentMessage[];
}

/**
 * Decides which messages of a growing context are sent. One object serves one conversation, also over several loops. If the conversation no
 * longer begins with the messages of the last rewrite, all of its messages count again.
 */
export class SentMessages {
  readonly #config: CompleteContextConfig | null;
  readonly #strategy: CompactionStrategy | null;
  readonly #tracker: ContextTracker;
  /** A growing list is counted before each request, so each message is counted once in a loop. */
  #tokensOf: (message: AgentMessage) => number;
  #rewrite: Rewrite | null = null;

  /** Throws a LoopError for a wrong configuration. */
  constructor({ contextConfig, compactionStrategy }: SentMessagesOptions = {}) {
    this.#config = contextConfig === undefined ? null : completeContextConfig(contextConfig);
    this.#strategy = compactionStrategy ?? null;
    this.#tracker = new ContextTracker(this.#config?.token_counter);
    this.#tokensOf = this.#counted();
  }

  /** The tokens of the messages that the next request of a conversation would extend. */
  tracked(messages: readonly AgentMessage[]): ContextTracker {
    this.#tracker.track(this.#extended([...messages]));
    return this.#tracker;
  }

  /**
   * Begins another loop of the conversation. Returns false if its configuration is a different one. The result of a rewrite is dropped if a
   * program has changed a message that it was made of.
   */
  begin({ contextConfig, compactionStrategy }: SentMessagesOptions): boolean {
    const config = contextConfig === undefined ? null : completeContextConfig(contextConfig);
    const isSame = isUnchanged(config, this.#config) && config?.token_counter === this.#config?.token_counter;
    if (!isSame || (compactionStrategy ?? null) !== this.#strategy) return false;
    const { from = [], contents = [] } = this.#rewrite ?? {};
    if (!from.every((message, at) => isUnchanged(contentOf(message), contents[at]))) this.#rewrite = null;
    this.#tokensOf = this.#counted();
    return true;
  }

  #counted(): (message: AgentMessage) => number {
    return countedOnce((this.#config ?? defaultContextConfig).token_counter);
  }

  /**
   * The messages of the next request. `squeeze` is above 0 if a model refused the last request as too large. With `applyToContext`, compacted
   * messages replace those of the context. Rejects with a LoopError if a strategy fails or if no message fits the budget.
   */
  async next(
    context: { messages: AgentMessage[] },
    { squeeze = 0, signal }: { squeeze?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<AgentMessage[]> {
    const whole = [...context.messages];
    const current = this.#extended(whole);
    this.#tracker.track(current);
    const config = this.#config;
    if (config === null) return current;
    const isRefused = squeeze > 0;
    const sent =
      this.#strategy === null
        ? compacted({ whole, current, isRefused, tokensOf: this.#tokensOf }, config)
        : await compactBy(this.#strategy, current, { config: isRefused ? lowered(config, current) : config, signal });
    if (sent === current) return current;
    this.#tracker.track(sent);
    if (config.compaction.applyToContext) {
      replaceMessages(context, whole, sent);
      this.#rewrite = null;
    } else this.#rewrite = { from: whole, contents: this.#copied(whole), to: sent };
    return [...sent];
  }

  /** Copies of the contents of messages. Those of the last rewrite are copied already. */
  #copied(whole: readonly AgentMessage[]): unknown[] {
    const known = this.#rewrite?.contents ?? [];
    return [...known, ...whole.slice(known.length).map((message) => plainCopy(contentOf(message)))];
  }

  /** The result of the last rewrite and the messages that were added since; all messages if there is none. */
  #extended(whole: AgentMessage[]): AgentMessage[] {
    if (this.#rewrite !== null && !beginsWith(whole, this.#rewrite.from)) this.#rewrite = null;
    if (this.#rewrite === null) return whole;
    return [...this.#rewrite.to, ...whole.slice(this.#rewrite.from.length)];
  }
}

function contentOf(message: AgentMessage): unknown {
  return message.role === "extension" ? message.data : message.content;
}

/** A context's messages, and those that were sent extended by the added ones. */
interface CurrentMessages {
  whole: AgentMessage[];
  current: AgentMessage[];
  isRefused: boolean;
  tokensOf: (message: AgentMessage) => number;
}

/** The current list if it fits; else the whole conversation, compacted by the levels so that a quarter of the budget is free. */
function compacted(
  { whole, current, isRefused, tokensOf }: CurrentMessages,
  config: CompleteContextConfig,
): AgentMessage[] {
  const tokens = current.reduce((sum, message) => sum + tokensOf(message), 0);
  const budget = isRefused ? refusedBudget(tokens, config) : messageBudget(config);
  if (isRefused ? budget < leastRefused : tokens <= budget) return current;
  const sent = compactTo(whole, config, { budget, target: Math.floor(budget * rewrittenShare), tokensOf });
  if (sent.length > 0 || !whole.some(isLlmMessage)) return sent;
  // A refused request that cannot be smaller is sent again, so that the refusal of the provider ends the loop.
  if (isRefused) return current;
  throw new LoopError(
    `The newest message does not fit into the ${budget} tokens that \`contextConfig\` has for messages, even with its texts cut. Raise ` +
      "`contextConfig.max_context_tokens`.",
  );
}

/** The budget of messages after a model refused messages with a number of tokens. */
function refusedBudget(tokens: number, config: CompleteContextConfig): number {
  return Math.floor(Math.min(tokens, messageBudget(config)) * refusedShare);
}

/** The configuration with the budget after a refusal. At least one token remains for messages. */
function lowered(config: CompleteContextConfig, current: readonly AgentMessage[]): CompleteContextConfig {
  const budget = Math.max(1, refusedBudget(totalTokens(current, config.token_counter), config));
  return { ...config, max_context_tokens: config.system_prompt_tokens + budget };
}

/** Replaces the messages of a context in place. Messages that were added meanwhile stay. */
function replaceMessages(
  context: { messages: AgentMessage[] },
  whole: readonly AgentMessage[],
  sent: readonly AgentMessage[],
): void {
  const { messages } = context;
  const added = beginsWith(messages, whole) ? messages.slice(whole.length) : [];
  messages.length = 0;
  for (const message of [...sent, ...added]) messages.push(message);
}
