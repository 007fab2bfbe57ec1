// Maps the finish reasons of all providers to stop reasons. Each package maps the reasons that its own provider documents, but other servers
// of the same protocol use other names.

import type { LanguageModelV3FinishReason } from "@ai-sdk/provider";

import type { StopReason } from "#contract/thread-message.ts";

const stop = ["stop", "end", "end_turn", "eos", "eos_token", "stop_sequence", "stop_token", "complete", "completed"];
const finished = ["finish", "finished", "done", "normal", "compaction", "pause_turn", "no_image"];
const length = ["length", "max_tokens", "max_output_tokens", "max_new_tokens", "max_completion_tokens", "max_length"];
const tooLong = ["model_length", "token_limit"];
const calls = ["tool_call", "tool_calls", "tool_use", "function_call", "function_calls"];
const filter = ["content_filter", "content_filtered", "contentfilter", "filtered", "blocked", "flagged", "moderation"];
const policy = [
  "refusal",
  "safety",
  "sensitive",
  "policy_violation",
  "guardrail_intervened",
  "guardrail",
  "model_armor",
];
const google = ["blocklist", "prohibited_content", "recitation", "spii", "language", "jailbreak"];
const images = ["image_safety", "image_prohibited_content", "image_recitation"];

const known = new Map<string, StopReason>(
  (
    [
      [[...stop, ...finished], "stop"],
      [[...length, ...tooLong], "length"],
      [calls, "tool_calls"],
      [[...filter, ...policy, ...google, ...images], "content_filter"],
    ] as const
  ).flatMap(([names, reason]) => names.map((name) => [name, reason] as const)),
);

// Names of failures: of the server (DeepSeek, Z.AI, SGLang and gateways), and of tool calls that the model wrote (Gemini).
const serverFailures =
  "error failed failure insufficient_system_resource network_error server_error internal_error abort aborted";
const moreFailures = "cancelled canceled timeout overloaded unknown_error finish_reason_unspecified";
const callFailures =
  "malformed_function_call malformed_model_output malformed_tool_use unexpected_tool_call malformed_response too_many_tool_calls missing_thought_signature";
const failures = new Set([serverFailures, moreFailures, callFailures].flatMap((names) => names.split(" ")));

function comparable(raw: string): string {
  return raw.toLowerCase().replaceAll("-", "_");
}

/** Whether a field of a chunk has a finish reason. Gateways send a text for null as well. */
export function isFinishReason(value: unknown): value is string {
  return typeof value === "string" && !/^(?:null|none|undefined)?$/i.test(value.trim());
}

/** Whether a finish reason names a failure, so that the answer before it is not complete. */
export function namesFailure(raw: string): boolean {
  return failures.has(comparable(raw));
}

/** Maps a provider's finish reason; null for a failure and for an unknown reason. */
export function readStopReason({ unified, raw }: LanguageModelV3FinishReason): StopReason | null {
  switch (unified) {
    case "stop":
    case "length":
      return unified;
    case "content-filter":
      return "content_filter";
    case "tool-calls":
      return "tool_calls";
    case "error":
      return null;
    case "other":
      return known.get(comparable(raw ?? "")) ?? null;
  }
}
