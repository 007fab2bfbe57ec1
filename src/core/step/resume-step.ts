// Takes up a step whose answer is stored and whose calls are not all answered: after a crash, or after a rest. Open calls
// are answered, settled ones are used again (architecture §5.4), and the step's end is written and told.

import { zeroUsage } from "#contract/usage.ts";

import type { EventList } from "../event-list.ts";
import { fitLog } from "../fit-log.ts";
import { keepContext } from "../keep-context.ts";
import { drivenOf, lineOf } from "../model/attempt-log.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { MessageRecord } from "../record.ts";
import { totalsOf } from "../run-state.ts";
import type { OpenStep } from "../run-state.ts";
import type { CallPlan } from "../tools/call-slot.ts";
import { runCalls } from "../tools/run-calls.ts";
import type { RanCalls } from "../tools/run-calls.ts";
import { toolTrace } from "./commit.ts";
import { finishStep } from "./finish-step.ts";
import { stepEvents } from "./step-events.ts";

/** Gives when it rests again (microseconds), or null when the step is over. */
export async function resumeStep(open: OpenStep, ports: RunPorts, signal: AbortSignal): Promise<number | null> {
  const { answer } = open;
  await ports.faults.at("resume.tools");
  const plan = await callPlan(open, ports);
  const events = stepEvents(plan, ports);
  // Calls that a definition queued are nobody's answer to what was said before: they are made in any case.
  const skippable = answer.model !== null;
  await ports.faults.at("resume.run-calls");
  const ran = await runCalls(open.calls, open.results, { plan, ports, events, signal, skippable });
  if (ran.restsUntil !== null) return ran.restsUntil;
  const { usage, stop_reason, cost } = answer;
  const totals = totalsOf(ports.run, ports.journal.messages);
  events.stage({ type: "step_end", usage: usage ?? zeroUsage, stop_reason, cost, totals });
  await ports.faults.at("resume.commit");
  await writeStepEnd(answer, ran, { plan, ports, events });
  return null;
}

/** Writes the row that ends a step whose answer was stored by itself. */
export async function writeStepEnd(
  answer: MessageRecord,
  { settled, warnings: odd }: RanCalls,
  { plan, ports, events }: { plan: CallPlan; ports: RunPorts; events: EventList },
): Promise<void> {
  await ports.faults.at("step.finish-called");
  const effects = await finishStep(answer, ports, events);
  const warnings = [...(plan.warnings ?? []), ...odd, ...keepContext(ports)];
  const stopAsked = ports.stopAsked() ? { stop_asked: true } : {};
  const session = effects.state === undefined ? {} : { session: effects.state };
  ports.journal.log(
    fitLog({
      id: ports.ids.ordered(),
      type: "tool_call",
      run_id: ports.run.id,
      parent_id: null,
      depth: plan.depth,
      created_at: ports.clock.now(),
      data: {
        step: plan.step,
        ...lineOf(ports),
        message_id: answer.id,
        tools: settled.map(toolTrace),
        warnings,
        context: ports.run.context,
        ...drivenOf(ports),
        ...session,
        ...stopAsked,
      },
      events: events.take(),
    }),
    effects.agent,
  );
  events.release();
}

/** What may be called. Without a plan nothing can run, but every call still has its result. */
async function callPlan({ answer, calls }: OpenStep, ports: RunPorts): Promise<CallPlan> {
  const step = answer.step ?? 1;
  const queued = answer.model === null ? calls.map((call) => call.name) : [];
  await ports.faults.at("resume.plan");
  const tools = await ports.steps.tools(queued);
  if (!("problem" in tools)) return { ...tools, step };
  return { step, side: answer.side ?? "a", depth: answer.depth, tools: new Map(), toolMode: "sequential" };
}
