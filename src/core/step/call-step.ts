// Runs tool calls without a model request: the remaining calls of a step whose answer is stored (after a crash or a suspension), and the
// calls that definitions queued (Standard Agents, queueTool).

import type { ToolCallPart } from "#contract/content.ts";
import { zeroUsage } from "#contract/usage.ts";

import type { RunPorts } from "../ports/run-ports.ts";
import type { StepProblem } from "../ports/step-port.ts";
import { stepMessage } from "../record/message-draft.ts";
import type { MessageRecord } from "../record/record.ts";
import type { QueuedCall } from "../record/run-record.ts";
import { callsOf, nextStepNumber, totalsOf } from "../record/run-state.ts";
import type { OpenStep } from "../record/run-state.ts";
import type { CallPlan } from "../tools/call-slot.ts";
import { runCalls } from "../tools/run-calls.ts";
import { appendAnswer, stepEvents, writeStepEnd } from "./step-rows.ts";

/**
 * Runs the calls of a stored answer that have no result, and writes the end of the step (architecture §5.4). Returns null when the
 * step is over, or the time until which a call waits (microseconds).
 */
export async function resumeStep(open: OpenStep, ports: RunPorts, signal: AbortSignal): Promise<number | null> {
  const { answer } = open;
  await ports.faults.at("resume.tools");
  const plan = await resumedPlan(open, ports);
  const events = stepEvents(plan, ports);
  // A steering message skips calls of a model that have not started. Calls of definitions always run.
  const maySkip = answer.model !== null;
  const calls = maySkip ? allowedCalls(open.calls, ports) : open.calls;
  await ports.faults.at("resume.run-calls");
  const ran = await runCalls(calls, open.results, { plan, ports, events, signal, maySkip });
  if (ran.suspendedUntil !== null) return ran.suspendedUntil;
  const { usage, stop_reason, cost } = answer;
  const totals = totalsOf(ports.run, ports.journal.messages);
  events.stage({ type: "step_end", usage: usage ?? zeroUsage, stop_reason, cost, totals });
  await ports.faults.at("resume.commit");
  await writeStepEnd(answer, ran, { plan, ports, events });
  return null;
}

/** The calls of a model's answer that run: all of them, unless the strategy leaves them unexecuted. */
export function allowedCalls(calls: ToolCallPart[], { strategy }: Pick<RunPorts, "strategy">): ToolCallPart[] {
  return calls.length > 0 && strategy.allows?.(calls) === "leave" ? [] : calls;
}

/** The tools of the step. If they cannot be found, no tool runs, and each call gets an error result. */
async function resumedPlan(open: OpenStep, ports: RunPorts): Promise<CallPlan> {
  const { answer, calls } = open;
  const step = answer.step ?? 1;
  const queued = answer.model === null ? calls.map((call) => call.name) : [];
  await ports.faults.at("resume.plan");
  const found = await ports.steps.tools(queued);
  if (!("problem" in found)) {
    await ports.faults.at("resume.shape");
    return { ...found, tools: await callableTools(found.tools, open, ports), step };
  }
  return { step, side: answer.side ?? "a", depth: answer.depth, tools: new Map(), toolMode: "sequential" };
}

/**
 * The tools that the calls of an interrupted step may use. A call that has begun keeps its tool, whatever the strategy allows now. A call
 * with a result needs no tool, and may have been refused, so its tool is not added.
 */
async function callableTools(
  all: CallPlan["tools"],
  { answer, results }: OpenStep,
  { strategy, faults }: RunPorts,
): Promise<CallPlan["tools"]> {
  if (answer.model === null || strategy.interruptedShape === undefined) return all;
  await faults.at("resume.strategy");
  const { tools: names } = await strategy.interruptedShape();
  if (names === undefined) return all;
  const begun = results.filter(({ status }) => status === "started");
  const allowed = new Set([...names, ...begun.map((row) => row.name)]);
  return new Map([...all].filter(([name]) => allowed.has(name)));
}

/**
 * Runs the queued calls as a step of their own. Its answer is a message of the assistant with `model` null, because providers accept
 * tool results only after a message with calls. Returns null when the step is over, the time until which a call waits (microseconds),
 * or the problem why no tool can be called.
 */
export async function queuedStep(
  ports: RunPorts,
  signal: AbortSignal,
): Promise<StepProblem | { until: number } | null> {
  const calls = (ports.run.progress.calls ?? []).map((call): QueuedCall => ({ ...call, tried: true }));
  ports.run.progress.calls = calls;
  await ports.faults.at("queued.tools");
  const tools = await ports.steps.tools(calls.map((call) => call.name));
  if ("problem" in tools) return tools;
  const plan = { ...tools, step: nextStepNumber(ports.journal.messages, ports.scope) };
  const events = stepEvents(plan, ports);
  await ports.faults.at("queued.before-create");
  const draft = await ports.hooks.beforeCreateMessage(callsMessage(calls, plan, ports));
  const { id, position, role } = draft;
  events.emit({ type: "message_start", role, message_id: id, position });
  await ports.faults.at("queued.append");
  const answer = await appendAnswer(draft, { ports, events }, (stored) => {
    const stepCalls = new Set(calls.map((call) => call.id));
    ports.run.progress.calls = (ports.run.progress.calls ?? []).filter((call) => !stepCalls.has(call.id));
    ports.journal.appendQueued(stored);
  });
  await ports.faults.at("queued.run-calls");
  const ran = await runCalls(callsOf(answer), [], { plan, ports, events, signal });
  if (ran.suspendedUntil !== null) return { until: ran.suspendedUntil };
  const totals = totalsOf(ports.run, ports.journal.messages);
  events.stage({ type: "step_end", usage: zeroUsage, stop_reason: "tool_calls", cost: 0, totals });
  await ports.faults.at("queued.commit");
  await writeStepEnd(answer, ran, { plan, ports, events });
  return null;
}

function callsMessage(
  calls: readonly QueuedCall[],
  plan: CallPlan & Pick<MessageRecord, "role">,
  ports: RunPorts,
): MessageRecord {
  const parts = calls.map(({ id, name, arguments: args }) => ({
    type: "tool_call" as const,
    id,
    name,
    arguments: args,
  }));
  const draft = { id: ports.ids.ordered(), role: plan.role, parts, metadata: { queued: true }, at: ports.clock.now() };
  return { ...stepMessage(ports, plan, draft), stop_reason: "tool_calls" };
}
