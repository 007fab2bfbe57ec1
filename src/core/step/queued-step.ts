// Makes the calls that definitions queued (Standard Agents, queueTool): as a message of the assistant that no model wrote,
// so that the transcript stays one that providers accept, and then as any step's calls.

import { zeroUsage } from "#contract/usage.ts";

import type { RunPorts } from "../ports/run-ports.ts";
import type { StepProblem } from "../ports/step-port.ts";
import type { MessageRecord, QueuedCall } from "../record.ts";
import { callsOf, nextStepNumber, totalsOf } from "../run-state.ts";
import type { CallPlan } from "../tools/call-slot.ts";
import { runCalls } from "../tools/run-calls.ts";
import { appendAnswer } from "./commit.ts";
import { writeStepEnd } from "./resume-step.ts";
import { stepEvents } from "./step-events.ts";

/** Null when the calls have their results; else when the first rest is over, or why nothing can be called. */
export async function queuedStep(
  ports: RunPorts,
  signal: AbortSignal,
): Promise<StepProblem | { until: number } | null> {
  const calls = (ports.run.calls ?? []).map((call): QueuedCall => ({ ...call, tried: true }));
  ports.run.calls = calls;
  await ports.faults.at("queued.tools");
  const tools = await ports.steps.tools(calls.map((call) => call.name));
  if ("problem" in tools) return tools;
  const plan = { ...tools, step: nextStepNumber(ports.journal.messages, ports.line) };
  const events = stepEvents(plan, ports);
  await ports.faults.at("queued.before-create");
  const draft = await ports.hooks.beforeCreateMessage(callingMessage(calls, plan, ports));
  const { id, position, role } = draft;
  events.tell({ type: "message_start", role, message_id: id, position });
  await ports.faults.at("queued.append");
  const answer = await appendAnswer(draft, { ports, events }, (stored) => {
    const taken = new Set(calls.map((call) => call.id));
    ports.run.calls = (ports.run.calls ?? []).filter((call) => !taken.has(call.id));
    ports.journal.appendQueued(stored);
  });
  await ports.faults.at("queued.run-calls");
  const ran = await runCalls(callsOf(answer), [], { plan, ports, events, signal });
  if (ran.restsUntil !== null) return { until: ran.restsUntil };
  const totals = totalsOf(ports.run, ports.journal.messages);
  events.stage({ type: "step_end", usage: zeroUsage, stop_reason: "tool_calls", cost: 0, totals });
  await ports.faults.at("queued.commit");
  await writeStepEnd(answer, ran, { plan, ports, events });
  return null;
}

function callingMessage(
  calls: readonly QueuedCall[],
  plan: CallPlan & Pick<MessageRecord, "role">,
  ports: RunPorts,
): MessageRecord {
  const id = ports.ids.ordered();
  const now = ports.clock.now();
  return {
    id,
    branch: ports.run.branch,
    position: id,
    role: plan.role,
    parts: calls.map(({ id: callId, name, arguments: args }) => ({
      type: "tool_call",
      id: callId,
      name,
      arguments: args,
    })),
    name: null,
    tool_call_id: null,
    parent_id: ports.line.parent_id,
    depth: plan.depth,
    silent: false,
    metadata: { queued: true },
    run_id: ports.run.id,
    step: plan.step,
    side: plan.side,
    status: "complete",
    stop_reason: "tool_calls",
    model: null,
    usage: null,
    cost: null,
    result: null,
    created_at: now,
    updated_at: now,
    events: [],
  };
}
