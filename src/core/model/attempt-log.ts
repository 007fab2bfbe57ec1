// The log row of one model attempt: its request, its result, its duration and its cost.

import type { JsonObject } from "#contract/json.ts";

import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import { fitLog } from "../record/fit-log.ts";
import type { LogRecord, StoredEvent } from "../record/record.ts";
import { keepContext } from "../step/keep-context.ts";
import type { AttemptResult } from "./request-answer.ts";

/** The context of an attempt, and the fields that a step adds to the row of its last attempt. */
export interface StepTrace {
  plan: NumberedPlan;
  ports: RunPorts;
  events: StoredEvent[];
  /** The log entries of the step's calls. */
  tools?: JsonObject[];
  /** Warnings about the calls. */
  warnings?: string[];
  /** The strategy's state after the step. */
  session?: JsonObject | undefined;
}

/**
 * Makes the row, shortened to a size that can be written. Also copies `state.context` into the run's record. The id is created here, so
 * rows are in the order in which attempts ended.
 */
export function attemptLog(
  result: AttemptResult,
  { plan, ports, events, tools, session, warnings: ofCalls = [] }: StepTrace,
): LogRecord {
  const { model, times, failure, answer, usage, cost } = result;
  const { end, finish } = answer;
  const warnings = [...(plan.warnings ?? []), ...ofCalls, ...keepContext(ports)];
  return fitLog({
    id: ports.ids.ordered(),
    type: "llm_request",
    run_id: ports.run.id,
    parent_id: null,
    depth: plan.depth,
    created_at: times.started_at,
    events,
    data: {
      step: plan.step,
      ...scopeFields(ports),
      side: plan.side,
      attempt: result.attempt,
      model: model.name,
      provider: model.provider,
      model_id: finish?.model_id ?? model.model,
      message_id: failure === null ? answer.messageId : null,
      stop_reason: failure === null ? answer.stopReason() : null,
      ...(finish?.stop_detail === undefined ? {} : { stop_detail: finish.stop_detail }),
      error: failure === null ? null : { ...failure },
      ...(end?.gateway_log_id === undefined ? {} : { gateway_log_id: end.gateway_log_id }),
      usage: { ...usage },
      ...(result.estimated ? { usage_estimated: true } : {}),
      ...(result.continuations === 0 ? {} : { continuations: result.continuations }),
      cost,
      latency_ms: (times.ended_at - times.started_at) / 1000,
      time_to_first_token_ms: times.first_at === null ? null : (times.first_at - times.started_at) / 1000,
      request: plan.trace,
      ...(end?.chunks === undefined ? {} : { chunks: { ...end.chunks } }),
      raw: answer.raw,
      tools: tools ?? [],
      ...(warnings.length === 0 ? {} : { warnings }),
      /** `state.context` at the time of the row. An interrupted run is resumed with it. */
      context: ports.run.progress.context,
      ...durationFields(ports),
      ...(plan.projection === undefined ? {} : { projection: { ...plan.projection, is: { ...plan.projection.is } } }),
      ...(session === undefined ? {} : { session }),
      ...(ports.stopAsked() ? { stop_asked: true } : {}),
    },
  });
}

/** The field with the run's execution time so far. An interrupted run is resumed with it. */
export function durationFields({ limits }: Pick<RunPorts, "limits">): { driven_ms?: number } {
  return limits === undefined ? {} : { driven_ms: limits.drivenMs() };
}

/** The field that names the loop of a step's row: the id of the tool message whose call runs the loop; absent for the main loop. */
export function scopeFields({ scope }: Pick<RunPorts, "scope">): { under?: string } {
  return scope.parent_id === null ? {} : { under: scope.parent_id };
}
