// Computes the state of a loop from its stored messages, so that an interrupted run continues after its last row; and adds usage to a run.

import type { ToolCallPart } from "#contract/content.ts";
import type { Json } from "#contract/json.ts";
import type { RunTotals } from "#contract/run.ts";
import { addCost, addUsage, roundCost, zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import { isVisible } from "#lib/visible-text.ts";

import { answerData } from "../model/answer-data.ts";
import type { Progress, StepOutcome } from "../ports/strategy-port.ts";
import type { Delivered } from "./awaited.ts";
import type { LogRecord, MessageRecord } from "./record.ts";
import type { ActiveRun, RunRecord, SuspendedRun } from "./run-record.ts";
import { isAnswer, isModelAnswer, isInScope, mainScope } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { textOf } from "./view.ts";

/** The calls of an assistant message. */
export function callsOf(message: MessageRecord): ToolCallPart[] {
  return message.parts.flatMap((part) => (part.type === "tool_call" ? [part] : []));
}

/** A step: its answer, the answer's calls, and the tool messages of those calls. */
export interface OpenStep {
  answer: MessageRecord;
  calls: ToolCallPart[];
  /** The existing tool messages, with a result or started. */
  results: MessageRecord[];
}

/** The last step of a scope. */
export function lastStep(messages: readonly MessageRecord[], scope: Scope): OpenStep | null {
  const scoped = messages.filter((message) => isInScope(scope, message));
  const at = scoped.findLastIndex(isAnswer);
  const answer = scoped[at];
  return answer === undefined ? null : stepOf(answer, scoped.slice(at + 1));
}

/** The step of an answer; `later` are the messages after it. */
export function stepOf(answer: MessageRecord, later: readonly MessageRecord[]): OpenStep {
  const calls = callsOf(answer);
  const ids = new Set(calls.map((call) => call.id));
  const results = later.filter((message) => message.tool_call_id !== null && ids.has(message.tool_call_id));
  return { answer, calls, results };
}

/** Whether every call has its result. */
export function isSettled(step: OpenStep): boolean {
  return step.calls.every((call) =>
    step.results.some((row) => row.tool_call_id === call.id && row.status === "complete"),
  );
}

/** Whether an answer is blank: without text, pictures, files and calls. An answer with thinking only is blank. */
export function isBlank({ parts, has_other_content }: Pick<MessageRecord, "parts" | "has_other_content">): boolean {
  if (has_other_content === true) return false;
  return parts.every((part) => part.type === "thinking" || (part.type === "text" && !isVisible(part.text)));
}

export function outcomeOf(step: OpenStep): StepOutcome {
  const { id, parts, usage, cost } = step.answer;
  const thinking = parts.flatMap((part) => (part.type === "thinking" ? [part.thinking] : [])).join("");
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const data = step.calls.length > 0 ? undefined : answerData(texts);
  return {
    message_id: id,
    text: textOf(parts),
    thinking: thinking === "" ? null : thinking,
    ...(data === undefined ? {} : { data }),
    usage,
    cost,
    blank: isBlank(step.answer),
    stop_reason: step.answer.stop_reason,
    stop_detail: step.answer.stop_detail,
    calls: step.calls.map((part) => {
      const { type: _, ...call } = part;
      const row = step.results.find((message) => message.tool_call_id === call.id);
      const result = row?.result ?? { status: "error", error: "The result was lost." };
      return { call, result };
    }),
  };
}

export function progressOf(messages: readonly MessageRecord[], scope: Scope): Progress {
  const steps = messages.filter((message) => isModelAnswer(message) && isInScope(scope, message)).length;
  const last = lastStep(messages, scope);
  const newest = messages.findLast(
    (message) => isInScope(scope, message) && (isModelAnswer(message) || message.steered === true),
  );
  return { steps, last: last === null ? null : outcomeOf(last), hasNewInput: newest?.steered === true };
}

/** The number of the scope's next step. Steps of queued calls have numbers too. */
export function nextStepNumber(messages: readonly MessageRecord[], scope: Scope): number {
  return messages.filter((message) => isAnswer(message) && isInScope(scope, message)).length + 1;
}

/** The progress of a loop according to its log rows. */
export interface CommittedSteps {
  /** The number of the last step whose `step_end` is stored; 0 before the first one. */
  step: number;
  /** The last stored state of the loop's strategy; null if none was stored. */
  strategy: Json | null;
}

/** Reads the progress of each loop of a run from the run's log rows, oldest first. */
export function committedSteps(logs: readonly LogRecord[]): (scope: Scope) => CommittedSteps {
  const scopes = new Map<string | null, CommittedSteps>();
  for (const log of logs) {
    const { under, step, session } = log.data;
    const parent = typeof under === "string" ? under : null;
    const known = scopes.get(parent) ?? { step: 0, strategy: null };
    scopes.set(parent, {
      step: endsStep(log) ? Math.max(known.step, Number(step)) : known.step,
      strategy: session ?? known.strategy,
    });
  }
  return ({ parent_id }) => scopes.get(parent_id) ?? { step: 0, strategy: null };
}

/** Whether a log row ends a step. */
export function endsStep(log: LogRecord): boolean {
  return log.events.some((event) => event.type === "step_end");
}

/** Whether a started call without `awaits`, as in an imported thread, only waited for a client or a person and has not run. */
export function neverStarted({ answered, approval }: Pick<MessageRecord, "answered" | "approval">): boolean {
  return answered !== undefined && approval?.approved !== true;
}

/** The steps, usage and cost of a run so far. `messages` are the run's. */
export function totalsOf(
  { usage, cost }: Pick<RunRecord, "usage" | "cost">,
  messages: readonly MessageRecord[],
): RunTotals {
  const steps = messages.filter((message) => isModelAnswer(message) && isInScope(mainScope, message)).length;
  return { steps, usage, cost };
}

/** The usage of one model attempt. */
export interface ModelUsage {
  /** The model's name in `agents/`. */
  model: string;
  usage: Usage;
  cost: number | null;
}

/** Adds a child thread's usage to the totals of a run or a thread. The child counts the usage by model. */
export function addChildUsage(
  totals: Pick<RunRecord, "usage" | "cost">,
  { usage, cost }: Pick<ModelUsage, "usage" | "cost">,
): void {
  totals.usage = addUsage(totals.usage, usage);
  totals.cost = addCost(totals.cost, cost);
}

type ChildUsage = Pick<Delivered, "usage" | "cost" | "work">;

/** The fields of a call's row for the usage of its child thread. */
export function childUsageFields({ usage, cost, work }: ChildUsage): ChildUsage {
  return { usage, cost, ...(work === undefined ? {} : { work }) };
}

/** Whether a run is executed or suspended. */
export function isActive(run: RunRecord | null): run is ActiveRun {
  return run !== null && run.progress !== null;
}

/** Whether an active run is suspended. */
export function isSuspended(run: ActiveRun): run is SuspendedRun {
  return run.progress.suspension !== null;
}

/** Adds the usage of a model attempt to the run. */
export function addModelUsage(run: ActiveRun, { model, usage, cost }: ModelUsage): void {
  run.usage = addUsage(run.usage, usage);
  run.cost = addCost(run.cost, cost);
  run.progress.paid = roundCost((run.progress.paid ?? 0) + (cost ?? 0));
  const before = run.spent[model];
  run.spent[model] = {
    usage: addUsage(before?.usage ?? zeroUsage, usage),
    cost: addCost(before === undefined ? 0 : before.cost, cost),
  };
}
