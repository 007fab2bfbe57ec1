// Decides how an answer ended: finished, interrupted, refused by the provider, or with a context that overflowed silently. The stream of an
// answer that was read to its end ends with the part that this file returns (decision 22: a stream without a reason is an error; decision
// 23: overflow).

import type { LanguageModelV3FinishReason } from "@ai-sdk/provider";

import type { StopReason } from "#contract/thread-message.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnswerSource, ModelFinish, ModelPart } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { failure } from "./classify-failure.ts";
import { namesFailure, readStopReason } from "./finish-reason.ts";

/** The end of an answer as the provider reports it. */
export interface ReportedEnd {
  reason: LanguageModelV3FinishReason;
  /** The provider's explanation of its reason. */
  detail: string | null;
  /** The body had the end mark of its protocol (`[DONE]` or a last event), with or without a finish reason. */
  ended: boolean;
  usage: Usage;
  reported_cost: number | null;
  model_id: string | null;
  /** The answer has closed tool calls. */
  hasCalls: boolean;
  /** The answer has visible text, or calls that are all complete. */
  hasWholeContent: boolean;
  /** The answer has content other than text, thinking and tool calls. */
  hasOtherContent: boolean;
  /** The sources that the answer cites. */
  sources?: AnswerSource[];
}

/** The failure of a stream that ended without a finish reason (decision 22: it is retried). `usage`: the tokens used so far, if known. */
export function cutFailure(usage: Usage | null): Extract<ModelPart, { type: "error" }> {
  const message = "The provider's stream ended without saying why it stopped.";
  return { type: "error", failure: failure("network", message, true), ...(usage === null ? {} : { usage }) };
}

/**
 * Corrects the stop reason by the presence of tool calls: some providers end a forced tool call with `stop`, and an answer with only tool
 * calls that they execute themselves with `tool_calls`.
 */
function stopReason(reason: StopReason, hasCalls: boolean): StopReason {
  if (reason !== "stop" && reason !== "tool_calls") return reason;
  return hasCalls ? "tool_calls" : "stop";
}

/** Names of finish reasons that add nothing to `content_filter`. */
const plainBlock = /^(?:content[_-]?filter|refusal|stop)$/i;

/** Why an answer was blocked: the provider's name of the reason, its explanation, or both. */
function stopDetail({ reason, detail }: ReportedEnd): string | null {
  const name = reason.raw === undefined || plainBlock.test(reason.raw) ? null : reason.raw;
  if (name === null || detail === null) return name ?? detail;
  return `${name}: ${detail}`;
}

/** Whether the provider dropped or refused part of the prompt without an error. */
function overflowedSilently(finish: ModelFinish, { contextWindow }: AnyModelDefinition): boolean {
  if (contextWindow === undefined) return false;
  const { usage, stop_reason } = finish;
  const prompt = usage.input + usage.cache_read;
  if (stop_reason === "length") return usage.output === 0 && prompt >= contextWindow * 0.99;
  return (stop_reason === "stop" || stop_reason === "tool_calls") && prompt > contextWindow;
}

/** The part that ends the stream. */
export function endOfAnswer(
  end: ReportedEnd,
  model: AnyModelDefinition,
): Extract<ModelPart, { type: "finish" | "error" }> {
  const { reason, usage } = end;
  if (reason.raw === "model_context_window_exceeded") {
    return { type: "error", usage, failure: failure("overflow", "The answer ran into the model's context window.") };
  }
  const isUnnamed = reason.raw === undefined && (reason.unified === "other" || reason.unified === "tool-calls");
  if (isUnnamed && !end.ended) return cutFailure(usage.total_tokens === 0 ? null : usage);
  // An answer with the end mark of its protocol is complete, even without a finish reason (decision record 17: how an answer ends): the
  // Responses API gives no reason for an answer with tool calls. In Chat Completions a reason is always present, because `chat-repair.ts`
  // adds a missing one.
  const named = isUnnamed ? "stop" : readStopReason(reason);
  // A name that no provider documents does not make a complete answer wrong: it is kept, and the name is in the log.
  const isComplete = end.hasWholeContent && reason.unified === "other" && !namesFailure(reason.raw ?? "");
  const stopped = named ?? (isComplete ? "stop" : null);
  if (stopped === null) {
    const message = `The provider ended the answer with "${reason.raw ?? "error"}".`;
    // Either the model wrote a malformed tool call, or the server failed before it wrote any text. A retry may succeed.
    return { type: "error", usage, failure: failure("api", message, true) };
  }
  const unknown = named === null ? (reason.raw ?? null) : null;
  const detail = stopped === "content_filter" ? stopDetail(end) : unknown;
  const finish: ModelFinish = {
    stop_reason: stopReason(stopped, end.hasCalls),
    ...(detail === null ? {} : { stop_detail: detail }),
    ...(end.hasOtherContent ? { has_other_content: true } : {}),
    ...(end.sources === undefined || end.sources.length === 0 ? {} : { sources: end.sources }),
    usage,
    reported_cost: end.reported_cost,
    model_id: end.model_id,
  };
  if (overflowedSilently(finish, model)) {
    const message = `The prompt is longer than the context window of ${model.contextWindow} tokens.`;
    return { type: "error", usage, failure: failure("overflow", message) };
  }
  return { type: "finish", ...finish };
}
