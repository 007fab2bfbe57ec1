// The log row of one model attempt: what was asked, what came, how long it took and what it cost.

import type { JsonObject } from "#contract/json.ts";

import { fitLog } from "../fit-log.ts";
import { keepContext } from "../keep-context.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { LogRecord, StoredEvent } from "../record.ts";
import type { Asked } from "./asked.ts";

/** What a step adds to the row of its last attempt. */
export interface StepTrace {
  plan: NumberedPlan;
  ports: RunPorts;
  events: StoredEvent[];
  /** The step's calls: id, name, error flag, milliseconds. */
  tools?: JsonObject[];
  /** What was odd about them. */
  warnings?: string[];
  /** The strategy's memory after the step. */
  session?: JsonObject | undefined;
}

/**
 * Builds the row, of a size that can be written, and takes the run's copy of `state.context` for it. Its id is new; rows
 * therefore stand in the order in which attempts ended.
 */
export function attemptLog(
  asked: Asked,
  { plan, ports, events, tools, session, warnings: odd = [] }: StepTrace,
): LogRecord {
  const { model, times, failure, answer, usage, cost } = asked;
  const warnings = [...(plan.warnings ?? []), ...odd, ...keepContext(ports)];
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
      ...lineOf(ports),
      side: plan.side,
      attempt: asked.attempt,
      model: model.name,
      provider: model.provider,
      model_id: answer.finish?.model_id ?? model.model,
      message_id: failure === null ? answer.messageId : null,
      stop_reason: failure === null ? answer.stopReason() : null,
      ...(answer.finish?.stop_detail === undefined ? {} : { stop_detail: answer.finish.stop_detail }),
      error: failure === null ? null : { ...failure },
      usage: { ...usage },
      ...(asked.estimated ? { usage_estimated: true } : {}),
      cost,
      latency_ms: (times.ended_at - times.started_at) / 1000,
      time_to_first_token_ms: times.first_at === null ? null : (times.first_at - times.started_at) / 1000,
      request: plan.trace,
      raw: answer.raw,
      tools: tools ?? [],
      ...(warnings.length === 0 ? {} : { warnings }),
      /** `state.context` as it was when the step was committed: a cut run goes on with it. */
      context: ports.run.context,
      ...drivenOf(ports),
      ...(session === undefined ? {} : { session }),
      ...(ports.stopAsked() ? { stop_asked: true } : {}),
    },
  });
}

/** How long the run was driven by now: what a cut run goes on counting from. */
export function drivenOf({ limits }: Pick<RunPorts, "limits">): { driven_ms?: number } {
  return limits === undefined ? {} : { driven_ms: limits.drivenMs() };
}

/** The line a step's row belongs to: nothing for the run's own, else the message it hangs under. */
export function lineOf({ line }: Pick<RunPorts, "line">): { under?: string } {
  return line.parent_id === null ? {} : { under: line.parent_id };
}
