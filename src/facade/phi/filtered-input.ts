// The filters of users' messages (REQ-068 to 070).

import { isObject } from "#lib/json-value.ts";

import type { FilterResult, InputFilter } from "./loop-config.ts";
import { LoopError } from "./loop-error.ts";
import { textOfContent } from "./loop-messages.ts";
import type { AgentMessage } from "./loop-messages.ts";
import { waitFor } from "./program-functions.ts";

/** Either the messages, with the warnings at the end of the last message of a user, or why a filter refused them. */
export type FilteredInput = { prompts: AgentMessage[] } | { rejection: string };

/**
 * Runs the filters in order over the texts of the users' messages. The first rejection ends it. The given messages are not changed. Rejects
 * with the signal's reason if the signal is aborted first.
 */
export async function filterInput(
  prompts: readonly AgentMessage[],
  filters: readonly InputFilter[],
  signal: AbortSignal,
): Promise<FilteredInput> {
  const users = prompts.flatMap((message) => (message.role === "user" ? [message] : []));
  if (filters.length === 0 || users.length === 0) return { prompts: [...prompts] };
  const text = users.map(({ content }) => textOfContent(content)).join("\n");
  const warnings: string[] = [];
  for (const [at, filter] of filters.entries()) {
    const result: FilterResult = await waitFor(filter.filter(text), signal);
    if (result === "Pass") continue;
    const { Warn: warning, Reject: rejection } = (isObject(result) ? result : {}) as Record<string, unknown>;
    if (typeof rejection === "string") return { rejection };
    if (typeof warning !== "string")
      throw new LoopError(
        `inputFilters[${at}] returned no result. A result is "Pass", { Warn: text } or { Reject: text }.`,
      );
    warnings.push(`[Warning: ${warning}]`);
  }
  if (warnings.length === 0) return { prompts: [...prompts] };
  const last = users.at(-1);
  const added = { type: "text" as const, text: warnings.join("\n") };
  return {
    prompts: prompts.map((message) =>
      message === last && message.role === "user" ? { ...message, content: [...message.content, added] } : message,
    ),
  };
}
