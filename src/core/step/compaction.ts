// Completes the compaction of a planned step: emits its events, and requests the summary that replaces the dropped messages. Also plans a
// step again with a smaller request after a model refused its request as too large.

import type { JsonObject } from "#contract/json.ts";
import { isVisible } from "#lib/visible-text.ts";

import { durationFields, scopeFields } from "../model/attempt-log.ts";
import { requestText } from "../model/request-text.ts";
import type { RequestedText } from "../model/request-text.ts";
import type { CompactedStep, CompactionPort, PlanWithinLimits, RetryPosition } from "../ports/compaction-port.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import { fitLog } from "../record/fit-log.ts";
import { addModelUsage } from "../record/run-state.ts";

/** Completes the compactions of a thread's steps. */
export const compaction: CompactionPort = { reserveSummary, complete, smallerPlan };

async function reserveSummary(
  plan: NumberedPlan,
  from: RetryPosition,
  { shape, ports, signal, squeeze = 0 }: Omit<CompactedStep, "events"> & { squeeze?: number },
): Promise<PlanWithinLimits> {
  const { summary, ...others } = plan;
  if (summary === undefined || ports.limits === undefined) return { plan, reserved: null };
  const before = { ...plan.request, model: plan.models[from.model] ?? plan.models[0] };
  await ports.faults.at("compaction.reserve");
  const reserved = await ports.limits.reserve({ ...summary.request, model: summary.model }, signal, {
    type: "extra",
    before,
  });
  if (!("limit" in reserved)) return { plan, reserved };
  await ports.faults.at("compaction.without-summary");
  const planned = await ports.steps.plan(shape, signal, { squeeze, summary: null });
  const within = "problem" in planned ? others : { ...others, ...planned };
  const warning = `The conversation was compacted without a summary, because the remaining budget is too small for one: ${reserved.limit.reason}.`;
  return { plan: { ...within, warnings: [...(within.warnings ?? []), warning] }, reserved: null };
}

async function complete(plan: NumberedPlan, step: CompactedStep & { squeeze?: number }): Promise<NumberedPlan> {
  const { compaction } = plan;
  if (compaction === undefined) return plan;
  const { reason, budget, tokens_before } = compaction;
  step.events.emit({ type: "compaction_start", reason, tokens: tokens_before, budget });
  await step.ports.faults.at("compaction.summarize");
  const summarized = plan.summary === undefined ? null : await summarizedPlan(plan, plan.summary, step);
  const completed = summarized?.plan ?? plan;
  const { level, tokens, dropped } = completed.compaction ?? compaction;
  step.events.emit({ type: "compaction_end", level, tokens, dropped });
  if (summarized !== null) logSummary(completed, summarized.result, step);
  return completed;
}

async function smallerPlan(plan: NumberedPlan, from: RetryPosition, step: CompactedStep): Promise<NumberedPlan | null> {
  const { shape, ports, signal } = step;
  await ports.faults.at("compaction.plan");
  const planned = await ports.steps.plan(shape, signal, { squeeze: 1 });
  if ("problem" in planned || planned.compaction === undefined) return null;
  // The request for the first plan's summary was already sent.
  const { summary: _, ...before } = plan;
  await ports.faults.at("compaction.reserve-smaller");
  const within = await reserveSummary({ ...before, ...planned }, from, { ...step, squeeze: 1 });
  try {
    await ports.faults.at("compaction.complete-smaller");
    return await complete(within.plan, { ...step, squeeze: 1 });
  } finally {
    within.reserved?.release();
  }
}

/**
 * The plan with the summary of the dropped messages. If the summary fails, the plan has a warning instead. If the run is stopped, the plan
 * is unchanged.
 */
async function summarizedPlan(
  plan: NumberedPlan,
  summary: NonNullable<NumberedPlan["summary"]>,
  { shape, ports, signal, squeeze = 0 }: CompactedStep & { squeeze?: number },
): Promise<{ plan: NumberedPlan; result: RequestedText }> {
  await ports.faults.at("compaction.ask");
  const result = await requestText({ ...summary.request, model: summary.model }, ports, signal);
  addModelUsage(ports.run, { model: summary.model.name, usage: result.usage, cost: result.cost });
  const problem = result.failure?.message ?? (isVisible(result.text) ? null : "the answer is empty");
  if (signal.aborted) return { plan, result };
  await ports.faults.at("compaction.again");
  const planned = await ports.steps.plan(shape, signal, { squeeze, summary: problem === null ? result.text : null });
  const summarized = "problem" in planned ? plan : { ...plan, ...planned };
  if (problem === null) return { plan: summarized, result };
  const warning = `The summary of the conversation failed, so it was compacted without one: ${problem}`;
  return { plan: { ...summarized, warnings: [...(summarized.warnings ?? []), warning] }, result };
}

/** Writes the log row of the summary. It has the projection, so an interrupted run continues with the same summary. */
function logSummary(
  plan: NumberedPlan,
  { usage, cost, failure, latency, gateway_log_id: id }: RequestedText,
  step: CompactedStep,
): void {
  const { ports, events } = step;
  const { model } = plan.summary ?? {};
  const data: JsonObject = {
    step: plan.step,
    ...scopeFields(ports),
    purpose: "summary",
    model: model?.name ?? plan.models[0].name,
    attempt: 1,
    message_id: null,
    error: failure === null ? null : { code: failure.kind, message: failure.message },
    ...(id === undefined ? {} : { gateway_log_id: id }),
    usage: { ...usage },
    cost,
    latency_ms: latency,
    ...(plan.projection === undefined ? {} : { projection: { ...plan.projection, is: { ...plan.projection.is } } }),
    context: ports.run.progress.context,
    ...durationFields(ports),
  };
  const stored = events.take();
  ports.journal.log?.(
    fitLog({
      id: ports.ids.ordered(),
      type: "llm_request",
      run_id: ports.run.id,
      parent_id: null,
      depth: plan.depth,
      created_at: ports.clock.now(),
      data,
      events: stored,
    }),
  );
}
