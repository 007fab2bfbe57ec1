// Maps a provider's stop reason to a `StopReason`. The packages know the reasons that their own provider documents; other
// servers of the same protocol use other names. An unknown reason is not a normal stop: most often the server failed.

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

/** The stop reason; null for an error and for an unknown reason. */
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
      return known.get((raw ?? "").toLowerCase().replaceAll("-", "_")) ?? null;
  }
}
