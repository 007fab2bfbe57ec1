// The tool result of a sub-prompt: the data of its structured answer, or its texts, its calls and its errors, as the configuration selects them (Standard Agents,
// SubpromptConfig).

import type { RunEnd } from "#core/ports/strategy-port.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { outcomeOf, stepOf } from "#core/record/run-state.ts";
import { isAnswer, isInScope, scopeUnder } from "#core/record/scope.ts";
import { textOrJson } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";
import type { SubpromptConfig } from "#spec/index.ts";

type Included = Pick<SubpromptConfig, "includeTextResponse" | "includeToolCalls" | "includeErrors">;

/** The result of the call whose tool message is `call`. `messages` are the run's. `isCut`: a limit of the run ended the sub-prompt. */
export function subpromptResult(
  config: Included,
  {
    call,
    messages,
    end,
    isCut,
  }: { call: MessageRecord; messages: readonly MessageRecord[]; end: RunEnd; isCut: boolean },
): ToolAnswer {
  const line = scopeUnder(call);
  const own = messages.filter((message) => isInScope(line, message));
  if (end.data !== undefined) return { status: "success", result: JSON.stringify(end.data) };
  const failed = end.status === "error" || end.status === "stopped" || isCut;
  const shown = own.flatMap((message, at) =>
    isAnswer(message) ? stepLines(message, { later: own.slice(at + 1), config }) : [],
  );
  const ending = endSentence(end, isCut);
  if (ending !== null && (config.includeErrors !== false || failed)) shown.push(`[error] ${ending}`);
  const text = shown.join("\n\n");
  if (failed) return { status: "error", error: text };
  return { status: "success", result: text === "" ? "(The prompt gave no output.)" : text };
}

function stepLines(
  answer: MessageRecord,
  { later, config }: { later: readonly MessageRecord[]; config: Included },
): string[] {
  const { text, calls } = outcomeOf(stepOf(answer, later));
  const lines = config.includeTextResponse !== false && text !== null && isVisible(text) ? [text] : [];
  for (const { call, result } of calls) {
    const failed = result.status === "error";
    const called = `[tool] ${call.name}(${textOrJson(call.arguments)})`;
    const error = `[error] ${call.name}: ${result.error ?? result.result ?? ""}`;
    if (config.includeToolCalls !== false) lines.push(failed ? called : `${called} → ${result.result ?? ""}`);
    if (failed && config.includeErrors !== false) lines.push(error);
  }
  return lines;
}

/** The sentence on why the loop did not complete; null if it did. */
function endSentence(end: RunEnd, isCut: boolean): string | null {
  const { status, reason, error } = end;
  switch (status) {
    case "completed":
      return null;
    case "limit":
      return isCut ? "The run came to a limit before it was done." : "It was ended at its limit of steps.";
    case "stopped":
      return "The run was stopped before it was done.";
    case "error":
      return error?.message ?? reason ?? "It failed.";
  }
}
