// What the caller of a sub-prompt is told: its words, its calls, its errors, as the configuration asks (Standard Agents,
// SubpromptConfig).

import type { RunEnd } from "#core/ports/strategy.ts";
import type { ToolAnswer } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record.ts";
import { outcomeOf, stepOf } from "#core/run-state.ts";
import { isAnswer, isInScope, scopeUnder } from "#core/scope.ts";
import { textOrJson } from "#lib/json-value.ts";
import type { SubpromptConfig } from "#spec/index.ts";

type Included = Pick<SubpromptConfig, "includeTextResponse" | "includeToolCalls" | "includeErrors">;

/** The answer to the call with the tool message `call`; `messages` are the run's, whose limits may have cut it. */
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
  const failed = end.status === "error" || end.status === "stopped" || isCut;
  const shown = own.flatMap((message, at) =>
    isAnswer(message) ? stepLines(message, { behind: own.slice(at + 1), config }) : [],
  );
  const ending = endingOf(end, isCut);
  if (ending !== null && (config.includeErrors !== false || failed)) shown.push(`[error] ${ending}`);
  const text = shown.join("\n\n");
  if (failed) return { status: "error", error: text };
  return { status: "success", result: text === "" ? "(The prompt gave no output.)" : text };
}

function stepLines(
  answer: MessageRecord,
  { behind, config }: { behind: readonly MessageRecord[]; config: Included },
): string[] {
  const { text, calls } = outcomeOf(stepOf(answer, behind));
  const lines = config.includeTextResponse !== false && text !== null && text.trim() !== "" ? [text] : [];
  for (const { call, result } of calls) {
    const failed = result.status === "error";
    const called = `[tool] ${call.name}(${textOrJson(call.arguments)})`;
    const error = `[error] ${call.name}: ${result.error ?? result.result ?? ""}`;
    if (config.includeToolCalls !== false) lines.push(failed ? called : `${called} → ${result.result ?? ""}`);
    if (failed && config.includeErrors !== false) lines.push(error);
  }
  return lines;
}

/** What kept it from coming to an end of its own; null when nothing did. */
function endingOf(end: RunEnd, isCut: boolean): string | null {
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
