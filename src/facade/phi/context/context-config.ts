// The budget of what a loop sends (architecture §4, ContextConfig), its defaults and its checks (REQ-011).

import { isObject } from "#lib/json-value.ts";

import { LoopError } from "../loop-error.ts";
import { HeuristicTokenCounter } from "./token-counter.ts";
import type { TokenCounter } from "./token-counter.ts";

/** The budget of what a loop sends. The messages may have `max_context_tokens` - `system_prompt_tokens` tokens. */
export interface ContextConfig {
  /** The maximum number of tokens of a request, including the system prompt. Default: 100,000. */
  max_context_tokens?: number;
  /** The tokens that are reserved for the system prompt. Default: 4,000. */
  system_prompt_tokens?: number;
  /** The number of messages that stay whole at the end, as far as the budget permits. The newest one always stays. Default: 10. */
  keep_recent?: number;
  /** The number of messages that stay at the beginning, as far as the budget permits. Default: 2. */
  keep_first?: number;
  /** The maximum number of lines of a tool's result when the messages exceed the budget. Default: 50. */
  tool_output_max_lines?: number;
  /** Counts the tokens of texts. Default: HeuristicTokenCounter. */
  token_counter?: TokenCounter;
  /** How the result of a compaction is used. */
  compaction?: CompactionConfig;
}

/** How the result of a compaction is used. */
export interface CompactionConfig {
  /** Whether the compacted messages replace those of the context. Default: false; then the context keeps all messages. */
  applyToContext?: boolean;
}

/** A configuration with all its values. */
export type CompleteContextConfig = Required<Omit<ContextConfig, "compaction">> & {
  compaction: Required<CompactionConfig>;
};

/** The defaults of a ContextConfig. */
export const defaultContextConfig: CompleteContextConfig = Object.freeze({
  max_context_tokens: 100_000,
  system_prompt_tokens: 4000,
  keep_recent: 10,
  keep_first: 2,
  tool_output_max_lines: 50,
  token_counter: new HeuristicTokenCounter(),
  compaction: Object.freeze({ applyToContext: false }),
});

/** The least value of each number. */
const least = {
  max_context_tokens: 1,
  system_prompt_tokens: 0,
  keep_recent: 0,
  keep_first: 0,
  tool_output_max_lines: 1,
};

/** The configuration with its defaults. Throws a LoopError for a wrong value. */
export function completeContextConfig(config: ContextConfig): CompleteContextConfig {
  if (!isObject(config))
    throw new LoopError("`contextConfig` has to be an object, such as { max_context_tokens: 100000 }.");
  refuseUnknown("contextConfig", config, defaultContextConfig);
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  const complete = { ...defaultContextConfig, ...Object.fromEntries(given) } as CompleteContextConfig;
  for (const [name, lowest] of Object.entries(least) as [keyof typeof least, number][]) {
    const value: unknown = complete[name];
    if (!Number.isSafeInteger(value) || (value as number) < lowest)
      throw new LoopError(
        `\`contextConfig.${name}\` is ${shown(value)}. It has to be a whole number of at least ${lowest}.`,
      );
  }
  const { max_context_tokens, system_prompt_tokens, token_counter, compaction } = complete;
  if (max_context_tokens <= system_prompt_tokens)
    throw new LoopError(
      `\`contextConfig.max_context_tokens\` is ${max_context_tokens}, and \`system_prompt_tokens\` is ${system_prompt_tokens}, so no tokens ` +
        "remain for messages. Raise `max_context_tokens`, or lower `system_prompt_tokens`.",
    );
  if (typeof (token_counter as TokenCounter | null)?.count !== "function")
    throw new LoopError(
      `\`contextConfig.token_counter\` is ${shown(token_counter)}. It has to be an object with the function \`count\`.`,
    );
  return { ...complete, compaction: completeCompaction(compaction) };
}

/** The tokens that messages may have. */
export function messageBudget({ max_context_tokens, system_prompt_tokens }: CompleteContextConfig): number {
  return max_context_tokens - system_prompt_tokens;
}

function completeCompaction(compaction: unknown): Required<CompactionConfig> {
  if (!isObject(compaction))
    throw new LoopError(
      `\`contextConfig.compaction\` is ${shown(compaction)}. It has to be an object, such as { applyToContext: true }.`,
    );
  refuseUnknown("contextConfig.compaction", compaction, defaultContextConfig.compaction);
  const { applyToContext = false } = compaction;
  if (typeof applyToContext !== "boolean")
    throw new LoopError(
      `\`contextConfig.compaction.applyToContext\` is ${shown(applyToContext)}. It has to be true or false.`,
    );
  return { applyToContext };
}

/** Refuses a name that the defaults do not have. */
export function refuseUnknown(option: string, given: object, defaults: object): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(defaults, name));
  if (unknown === undefined) return;
  const names = Object.keys(defaults).join(", ");
  throw new LoopError(`\`${option}\` has no option \`${unknown}\`. Its options are ${names}.`);
}

/** A value in an error. Only the type of objects and texts is shown, because they may contain a key. */
export function shown(value: unknown): string {
  if (value === null || ["number", "boolean", "undefined"].includes(typeof value)) return String(value);
  return Array.isArray(value) ? "a list" : `a value of the type ${typeof value}`;
}
