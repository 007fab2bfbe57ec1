// Makes a turn of a run's records: its messages, its executions and its token counts.

import type { StopReason } from "#contract/thread-message.ts";
import type { Usage } from "#contract/usage.ts";
import { answerData } from "#core/model/answer-data.ts";
import type { MessageRecord } from "#core/record.ts";

import { answerMessage, resultMessage } from "./message-records.ts";
import type { TurnRequest } from "./turn-request.ts";
import type { TokenUsage, Turn } from "./turn.ts";
import type { AnyMessage, AssistantMessage } from "./upp-message.ts";
import type { ToolExecution } from "./upp-tool.ts";

/** A turn, and why its last answer ended. */
export interface EndedTurn {
  turn: Turn;
  stopReason: StopReason;
}

/** Makes the turn of a completed run. `executionOf` returns the ended execution of a call. */
export function endedTurn(
  { input, structure, modelOrder }: TurnRequest,
  run: {
    journal: readonly MessageRecord[];
    usage: Usage;
    executionOf: (toolCallId: string) => ToolExecution | undefined;
  },
): EndedTurn {
  const messages: AnyMessage[] = [...input];
  const answers = run.journal.filter(({ role }) => role === "assistant");
  let response: AssistantMessage | null = null;
  for (const answer of answers) {
    response = answerMessage(answer, { modelOrder });
    messages.push(response);
    const rows = run.journal.filter(({ role, step }) => role === "tool" && step === answer.step);
    if (rows.length > 0) messages.push(resultMessage(rows, run.executionOf));
  }
  const last = answers.at(-1);
  if (response === null || last === undefined) throw new Error("A completed run has an answer.");
  const rows = run.journal.filter(({ role }) => role === "tool");
  const texts = last.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const data = structure === undefined || response.hasToolCalls ? undefined : answerData(texts);
  const cycles = answers.flatMap(({ usage }) => (usage === null ? [] : [tokenUsage(usage)]));
  const turn: Turn = {
    messages,
    response,
    toolExecutions: rows.flatMap(({ tool_call_id }) => run.executionOf(tool_call_id ?? "") ?? []),
    usage: { ...tokenUsage(run.usage), cycles },
    cycles: answers.length,
    ...(data === undefined ? {} : { data }),
  };
  return { turn, stopReason: last.stop_reason ?? "stop" };
}

function tokenUsage({ input, output, cache_read, cache_write, total_tokens }: Usage): TokenUsage {
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: total_tokens,
    cacheReadTokens: cache_read,
    cacheWriteTokens: cache_write,
  };
}
