// The message an answer becomes.

import type { JsonObject } from "#contract/json.ts";

import type { ModelFinish } from "../ports/model-port.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { MessageRecord, StoredPart } from "../record.ts";
import { stopReasonOf } from "./asked.ts";
import type { Asked } from "./asked.ts";

function detailsOf(finish: ModelFinish | null): Pick<MessageRecord, "stop_detail" | "has_other_content"> {
  const { stop_detail, has_other_content } = finish ?? {};
  return {
    ...(stop_detail === undefined ? {} : { stop_detail }),
    ...(has_other_content === undefined ? {} : { has_other_content }),
  };
}

/** The sources that an answer cites, as metadata of its message. */
function metadataOf(finish: ModelFinish | null): JsonObject {
  const sources = finish?.sources ?? [];
  return sources.length === 0 ? {} : { sources: sources.map((source) => ({ ...source })) };
}

/** The record, before hooks. A partial answer says why it is one in `stop_reason`. */
export function answerRecord(
  asked: Asked,
  parts: StoredPart[],
  { plan, ports }: { plan: NumberedPlan; ports: RunPorts },
): MessageRecord {
  const { answer, times, failure, limit } = asked;
  return {
    id: answer.messageId,
    branch: ports.run.branch,
    position: answer.messageId,
    role: plan.role,
    parts,
    name: null,
    tool_call_id: null,
    parent_id: ports.line.parent_id,
    depth: plan.depth,
    silent: false,
    metadata: metadataOf(answer.finish),
    run_id: ports.run.id,
    step: plan.step,
    side: plan.side,
    status: "complete",
    stop_reason: stopReasonOf(asked),
    ...(failure === null ? detailsOf(answer.finish) : {}),
    model: asked.model.name,
    usage: asked.usage,
    cost: asked.cost,
    result: null,
    ...(failure === null
      ? {}
      : { failure: { kind: failure.kind, message: failure.message, ...(limit === undefined ? {} : { limit }) } }),
    created_at: times.started_at,
    updated_at: times.ended_at,
    events: [],
  };
}
