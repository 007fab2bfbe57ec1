// The thinking of models at Bedrock, in `additionalModelRequestFields`: a budget or an effort for Claude, an effort for Nova 2 and gpt-oss.

import type { JSONObject } from "@ai-sdk/provider";

import { fitBudget, type ThinkingRequest } from "../thinking-request.ts";
import { familyOf } from "./model-family.ts";

/** The thinking that a request asks for, and what it depends on. */
export interface ConverseThinking {
  thinking: ThinkingRequest;
  /** The limit of the answer; null without one. */
  maxTokens: number | null;
  /** The text of the thinking is not shown. */
  isHidden: boolean;
  /** Claude refuses thinking for this request. */
  isRefused: boolean;
}

/** The fields that ask for thinking, the limits that they do not allow, and changes for the log. */
export interface ThinkingFields {
  fields: JSONObject;
  /** The request must not have a temperature; `maxTokens`: nor a limit. */
  refuses: readonly ("temperature" | "maxTokens")[];
  warnings: string[];
}

const none: ThinkingFields = { fields: {}, refuses: [], warnings: [] };

// As in provider/anthropic.ts: Claude 4.7 and later take an effort.
const claudeByEffort = /claude-[a-z]+-(?:4-[7-9]|[5-9]|[1-9]\d)(?!\d)/;
const novaThatThinks = /nova-(?:[2-9]|premier-[2-9])/;

/** The smallest budget of Claude. */
const floor = 1024;

function claude(model: string, { thinking, maxTokens, isHidden, isRefused }: ConverseThinking): ThinkingFields {
  if (thinking.effort === "none") return none;
  if (isRefused) return { ...none, warnings: ["Claude was not asked to think: it refuses in this place."] };
  if (claudeByEffort.test(model)) {
    const effort = thinking.effort === "minimal" ? "low" : thinking.effort;
    const display = isHidden ? "omitted" : "summarized";
    const warnings = thinking.byTokens
      ? [`"${model}" takes no thinking budget; ${thinking.tokens} tokens were asked for as effort "${effort}".`]
      : [];
    const fields = { thinking: { type: "adaptive", display }, output_config: { effort } };
    return { fields, refuses: ["temperature"], warnings };
  }
  const bounds = { who: "Claude on Bedrock", floor, ceiling: Infinity, limit: maxTokens };
  const { budget, warnings } = fitBudget(thinking, bounds);
  if (budget === null) return { ...none, warnings };
  return { fields: { thinking: { type: "enabled", budget_tokens: budget } }, refuses: ["temperature"], warnings };
}

/** The efforts of Nova 2 and gpt-oss. */
function levelOf({ effort }: ThinkingRequest): "low" | "medium" | "high" {
  return effort === "none" || effort === "minimal" ? "low" : effort;
}

function byEffort(model: string, { thinking }: ConverseThinking): string[] {
  if (!thinking.byTokens) return [];
  const effort = levelOf(thinking);
  return [`"${model}" takes no thinking budget; ${thinking.tokens} tokens were asked for as effort "${effort}".`];
}

/** The fields for the thinking that a request asks for. */
export function thinkingFields(model: string, request: ConverseThinking): ThinkingFields {
  const { thinking } = request;
  const warnings = byEffort(model, request);
  switch (familyOf(model)) {
    case "claude":
      return claude(model, request);
    case "nova": {
      if (!novaThatThinks.test(model)) break;
      if (thinking.effort === "none") return none;
      const maxReasoningEffort = levelOf(thinking);
      const fields = { reasoningConfig: { type: "enabled", maxReasoningEffort } };
      // https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
      return { fields, refuses: maxReasoningEffort === "high" ? ["temperature", "maxTokens"] : [], warnings };
    }
    case "gpt-oss": {
      const off = `"${model}" always thinks; it was asked for as little as it takes.`;
      const fields = { reasoning_effort: levelOf(thinking) };
      return { fields, refuses: [], warnings: thinking.effort === "none" ? [off] : warnings };
    }
    default:
      break;
  }
  if (thinking.effort === "none") return none;
  const fix = "Set its own fields in params.additionalModelRequestFields.";
  return { ...none, warnings: [`The thinking of "${model}" is not known; reasoning was not requested. ${fix}`] };
}
